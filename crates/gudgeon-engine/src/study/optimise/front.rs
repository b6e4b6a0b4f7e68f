//! What became of the points that a search has found when they were simulated.

use super::{Optimum, Setting};
use crate::study::runs::Answer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The optimum, or a point of the Pareto front.
    Best,
    /// Another point is no worse in every objective and better in one.
    Dominated,
    BreaksLimit,
    Failed,
}

impl Standing {
    /// For people; nothing where all is well.
    pub fn remark(self) -> &'static str {
        match self {
            Standing::Best => "",
            Standing::Dominated => "dominated",
            Standing::BreaksLimit => "breaks a limit",
            Standing::Failed => "failed",
        }
    }
}

/// The points found with what was predicted and simulated there, in order of the first objective.
pub fn optima(setting: &Setting, points: Vec<Vec<f64>>, simulated: Vec<Answer>) -> Vec<Optimum> {
    let standings = standings(setting, &simulated);
    let all = points.into_iter().zip(simulated).zip(standings);
    let mut optima: Vec<Optimum> = all
        .map(|((point, simulated), standing)| Optimum {
            predicted: setting.predicted(&point),
            point,
            simulated,
            standing,
        })
        .collect();
    let first = |optimum: &Optimum| {
        optimum.simulated.as_ref().map_or(f64::INFINITY, |values| objectives(setting, values)[0])
    };
    optima.sort_by(|a, b| first(a).total_cmp(&first(b)));
    optima
}

fn objectives(setting: &Setting, values: &[f64]) -> Vec<f64> {
    setting.answer(|response| setting.job.value(values, response)).objectives
}

fn standings(setting: &Setting, simulated: &[Answer]) -> Vec<Standing> {
    let done = || simulated.iter().filter_map(|answer| answer.as_ref().ok());
    let kept: Vec<Vec<f64>> = done()
        .filter(|values| setting.keeps(values))
        .map(|values| objectives(setting, values))
        .collect();
    let one = |answer: &Answer| match answer {
        Err(_) => Standing::Failed,
        Ok(values) if !setting.keeps(values) => Standing::BreaksLimit,
        Ok(values) => {
            let own = objectives(setting, values);
            let beaten = kept.iter().any(|other| dominates(other, &own));
            if beaten { Standing::Dominated } else { Standing::Best }
        }
    };
    simulated.iter().map(one).collect()
}

/// Of objectives to minimise.
fn dominates(a: &[f64], b: &[f64]) -> bool {
    let mut pairs = a.iter().zip(b);
    pairs.clone().any(|(a, b)| a < b) && pairs.all(|(a, b)| a <= b)
}

#[cfg(test)]
mod tests {
    use super::dominates;

    #[test]
    fn equals_do_not_dominate_each_other() {
        assert!(dominates(&[1.0, 2.0], &[1.0, 3.0]));
        assert!(!dominates(&[1.0, 2.0], &[1.0, 2.0]));
        assert!(!dominates(&[0.0, 4.0], &[1.0, 3.0]));
    }
}
