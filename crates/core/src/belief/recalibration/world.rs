//! Items whose recalibration is known, for tests.

use ndarray::Array2;

use super::fitted::RecalibratedFit;
use super::fitting::fit;
use super::items::JudgedItems;
use super::options::{Options, Recalibration};
use crate::belief::design::{Design, FeatureColumn};
use crate::belief::dirichlet_multinomial::softmax;
use crate::random::Stream;

/// Items whose true prior is the recalibration by (tau, b) of their stated prediction, with a trust of
/// exp(1.5 + 0.4 z).
pub(super) struct World {
    pub(super) columns: Vec<FeatureColumn>,
    pub(super) q: Array2<f64>,
    pub(super) counts: Array2<u32>,
    pub(super) groups: Vec<usize>,
}

impl World {
    pub(super) fn draw(items: usize, seed: u64, recalibration: &[(f64, [f64; 3])]) -> Self {
        let mut stream = Stream::new(seed);
        let (mut q, mut counts) = (Array2::zeros((items, 3)), Array2::zeros((items, 3)));
        let groups: Vec<usize> = (0..items).map(|i| i % recalibration.len()).collect();
        let z: Vec<f64> = (0..items).map(|_| stream.standard_normal()).collect();
        for i in 0..items {
            let draw = |stream: &mut Stream, alpha: &[f64]| -> Vec<f64> {
                let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-6).collect();
                let sum: f64 = g.iter().sum();
                g.into_iter().map(|g| g / sum).collect()
            };
            let stated = draw(&mut stream, &[1.5, 1.5, 1.5]);
            let (tau, bias) = recalibration[groups[i]];
            let mut prior: Vec<f64> = stated.iter().zip(bias).map(|(q, b)| tau * q.ln() + b).collect();
            softmax(&mut prior);
            let trust = (1.5 + 0.4 * z[i]).exp();
            let p = draw(&mut stream, &prior.iter().map(|q| trust * q).collect::<Vec<_>>());
            let mut c = [0; 3];
            let n = stream.choice(11);
            stream.multinomial(n, &p, &mut c);
            for j in 0..3 {
                q[[i, j]] = stated[j];
                counts[[i, j]] = c[j];
            }
        }
        Self { columns: vec![FeatureColumn::complete("z", z)], q, counts, groups }
    }

    pub(super) fn fit(&self, recalibration: Recalibration, ridge: f64) -> (RecalibratedFit, Design) {
        let design = Design::raw(&self.columns).unwrap();
        let options = Options { recalibration, ridge, ..Options::default() };
        (fit(&self.items(&design), self.counts.view(), &options).unwrap(), design)
    }

    pub(super) fn items<'a>(&'a self, design: &'a Design) -> JudgedItems<'a> {
        JudgedItems { design, q: self.q.view(), groups: &self.groups }
    }
}
