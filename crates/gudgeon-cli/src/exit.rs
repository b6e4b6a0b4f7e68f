//! Exit codes, a contract with scripts.

use gudgeon_output::record::Status;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    /// The run failed; what it has is kept.
    Failed,
    /// Something was wrong before the first step; nothing was written.
    Refused,
    /// The user stopped the run; what it has is kept.
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Refused => 2,
            Exit::Interrupted => 130,
        }
    }

    /// The word for `status` in JSON.
    pub fn status(self) -> &'static str {
        match self {
            Exit::Done => Status::Ok,
            Exit::Failed => Status::Failed,
            Exit::Refused => Status::Invalid,
            Exit::Interrupted => Status::Interrupted,
        }
        .word()
    }
}

impl From<Status> for Exit {
    fn from(status: Status) -> Exit {
        match status {
            Status::Ok => Exit::Done,
            Status::Failed | Status::Running | Status::Killed => Exit::Failed,
            Status::Invalid => Exit::Refused,
            Status::Interrupted => Exit::Interrupted,
        }
    }
}
