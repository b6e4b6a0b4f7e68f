//! Real and complex numbers, as far as elimination needs them.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number that can be eliminated with.
pub trait Scalar:
    Copy
    + Debug
    + Default
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// Real numbers that make it up.
    const PARTS: usize;

    /// A size, cheap rather than exact.
    fn size(self) -> f64;

    /// One of its parts.
    fn part(self, index: usize) -> f64;

    fn set_part(&mut self, index: usize, value: f64);
}

impl Scalar for f64 {
    const PARTS: usize = 1;

    fn size(self) -> f64 {
        self.abs()
    }

    fn part(self, _index: usize) -> f64 {
        self
    }

    fn set_part(&mut self, _index: usize, value: f64) {
        *self = value;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    pub fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }
}

impl From<f64> for Complex {
    fn from(re: f64) -> Self {
        Self { re, im: 0.0 }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self::new(self.re + b.re, self.im + b.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self::new(self.re - b.re, self.im - b.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re)
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        let inverse = 1.0 / (b.re * b.re + b.im * b.im);
        let top = self * Self::new(b.re, -b.im);
        Self::new(top.re * inverse, top.im * inverse)
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

impl AddAssign for Complex {
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl SubAssign for Complex {
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl Scalar for Complex {
    const PARTS: usize = 2;

    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    fn part(self, index: usize) -> f64 {
        if index == 0 { self.re } else { self.im }
    }

    fn set_part(&mut self, index: usize, value: f64) {
        *(if index == 0 { &mut self.re } else { &mut self.im }) = value;
    }
}
