//! The colours, line patterns and markers that make up a look.
//!
//! Colours are those of Okabe and Ito (Color Universal Design, 2008), which readers with any common colour blindness
//! can distinguish; grey replaces yellow, which is too pale on paper. Dashes and markers show the same differences
//! without colour.

/// A colour, as sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Colour {
    /// Text, axes and the first of all lines.
    pub const INK: Self = Self([0x1a, 0x1a, 0x1a]);
    /// Background of open markers.
    pub const PAPER: Self = Self([255, 255, 255]);
    pub(crate) const GRID: Self = Self([0xdd, 0xdd, 0xdd]);
    /// Grey, in the place of yellow.
    pub const GREY: Self = Self([0x7a, 0x7a, 0x7a]);
    /// A fainter grey.
    pub const PALE: Self = Self([0xb4, 0xb4, 0xb4]);
    /// Orange.
    pub const ORANGE: Self = Self([0xe6, 0x9f, 0x00]);
    /// Sky blue.
    pub const SKY: Self = Self([0x56, 0xb4, 0xe9]);
    /// Bluish green.
    pub const GREEN: Self = Self([0x00, 0x9e, 0x73]);
    /// Blue.
    pub const BLUE: Self = Self([0x00, 0x72, 0xb2]);
    /// Vermillion.
    pub const VERMILLION: Self = Self([0xd5, 0x5e, 0x00]);
    /// Reddish purple.
    pub const PURPLE: Self = Self([0xcc, 0x79, 0xa7]);

    /// `#rrggbb`.
    pub fn hex(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// Lightness as the eye weighs it, 0 (black) to 1 (white): Rec. 709 weights of the stored values.
    pub fn luma(self) -> f64 {
        let [r, g, b] = self.0.map(f64::from);
        (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255.0
    }

    /// Colour of a heat map at a share 0 to 1: dark blue to pale yellow, its lightness rising evenly, so that it reads
    /// in grey. Stops after the colour map cividis (Nuñez, Anderton and Renslow, PLOS ONE 2018).
    pub fn of_share(share: f64) -> Self {
        const STOPS: [[u8; 3]; 5] = [[0, 34, 78], [66, 78, 108], [124, 123, 120], [187, 174, 108], [254, 232, 56]];
        let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
        let below = (place as usize).min(STOPS.len() - 2);
        let part = place - below as f64;
        let mix = |k: usize| {
            let (a, b) = (f64::from(STOPS[below][k]), f64::from(STOPS[below + 1][k]));
            (a + part * (b - a)).round() as u8
        };
        Self([mix(0), mix(1), mix(2)])
    }
}

/// Form of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// No marker.
    None,
    /// A small dot without outline, for clouds.
    Dot,
    /// A disc.
    Disc,
    /// A wide circle with nothing inside, to stand around another marker.
    Circle,
    /// A ring.
    Ring,
    /// A filled square.
    Square,
    /// An open square.
    OpenSquare,
    /// A filled triangle.
    Triangle,
    /// An open triangle on its tip.
    OpenTriangle,
    /// An open diamond.
    OpenDiamond,
    /// Two crossing strokes.
    Cross,
}

/// Line pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// Unbroken.
    Solid,
    /// Long dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Dash, dot.
    DashDot,
    /// Short dashes.
    Short,
}

impl Dash {
    /// Lengths of strokes and gaps, in points; empty for an unbroken line.
    pub const fn pattern(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[5.0, 2.0],
            Self::Dotted => &[1.0, 1.8],
            Self::DashDot => &[5.0, 1.8, 1.0, 1.8],
            Self::Short => &[2.5, 1.5],
        }
    }
}

/// How a series looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Colour of line, marker and band.
    pub colour: Colour,
    /// Line pattern.
    pub dash: Dash,
    /// Marker.
    pub marker: Marker,
}

impl Look {
    /// A look of its own.
    pub const fn new(colour: Colour, dash: Dash, marker: Marker) -> Self {
        Self { colour, dash, marker }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heat_map_gets_lighter_all_the_way() {
        let lightness: Vec<f64> = (0..=20).map(|k| Colour::of_share(f64::from(k) / 20.0).luma()).collect();
        assert!(lightness.windows(2).all(|pair| pair[1] > pair[0] + 0.01), "{lightness:?}");
    }
}
