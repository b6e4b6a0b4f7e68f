//! Answers that were wrong once, one file per story. Each test failed before its correction.

mod radau_retry;
