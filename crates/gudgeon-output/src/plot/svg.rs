//! A small writer of SVG text.

use std::fmt::Write;

use super::axis::{Axis, Tick};
use super::colour;

const FONTS: &str = "Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

/// Where a text is anchored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn attribute(self) -> &'static str {
        match self {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        }
    }
}

/// Size, weight and colour of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Font {
    pub size: f64,
    pub colour: &'static str,
    pub bold: bool,
}

pub(crate) const TITLE: Font = Font { size: 16.0, colour: colour::TEXT, bold: true };
pub(crate) const HEADING: Font = Font { size: 12.5, colour: colour::TEXT, bold: true };
pub(crate) const LABEL: Font = Font { size: 12.0, colour: colour::TEXT, bold: false };
pub(crate) const SMALL: Font = Font { size: 11.0, colour: colour::MUTED, bold: false };

impl Font {
    /// A rough width of a text, for layout.
    pub(crate) fn width(&self, text: &str) -> f64 {
        text.chars().count() as f64 * self.size * if self.bold { 0.64 } else { 0.57 }
    }

    /// A closer width of a text in a usual font, by kinds of letters.
    pub(crate) fn extent(&self, text: &str) -> f64 {
        let width = |c: char| match c {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | '·' => 0.31,
            ' ' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '-' | '/' => 0.4,
            'm' | 'w' | 'M' | 'W' | '%' | '…' => 0.96,
            '×' | '±' | '=' | '−' | '+' => 0.84,
            'A'..='Z' => 0.72,
            '⁰'..='₎' | '²' | '³' | '¹' => 0.42,
            _ => 0.63,
        };
        let weight = if self.bold { 1.1 } else { 1.0 };
        text.chars().map(width).sum::<f64>() * self.size * weight
    }

    /// The text, or as many of its first letters as fit by [`Font::extent`].
    pub(crate) fn cut(&self, text: &str, width: f64) -> String {
        if self.extent(text) <= width {
            return text.to_owned();
        }
        let mut cut = text.to_owned();
        while cut.pop().is_some() && self.extent(&cut) + self.extent("…") > width {}
        if cut.chars().count() < 3 { String::new() } else { format!("{}…", cut.trim_end()) }
    }

    /// The text, or as many of its first words as fit.
    pub(crate) fn fit(&self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let per_character = self.width("x");
        let room = ((width / per_character) as usize).saturating_sub(1);
        if room < 4 {
            return String::new();
        }
        let cut: String = text.chars().take(room).collect();
        let whole_words = cut.rfind(' ').filter(|end| *end > cut.len() / 2);
        format!("{}…", cut[..whole_words.unwrap_or(cut.len())].trim_end())
    }
}

/// A part of a line of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span<'a> {
    pub gap: f64,
    pub font: Font,
    pub text: &'a str,
}

/// A legend entry: a coloured sign and its meaning.
pub(crate) fn entry<'a>(sign: &'a str, colour: &'static str, text: &'a str) -> [Span<'a>; 2] {
    let sign = Span { gap: 18.0, font: Font { colour, bold: true, ..LABEL }, text: sign };
    [sign, Span { gap: 6.0, font: LABEL, text }]
}

/// A rectangle of the picture, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// Stroke of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    pub colour: &'static str,
    pub width: f64,
    pub opacity: f64,
}

/// The text of a picture in the making.
pub(crate) struct Svg {
    out: String,
}

impl Svg {
    /// A white picture with an accessible title.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Svg {
        let mut svg = Svg { out: String::new() };
        svg.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\" role=\"img\" font-family=\"{FONTS}\">\n\
             <title>{t}</title>\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n",
            w = pixels(width),
            h = pixels(height),
            t = escape(title),
        ));
        svg
    }

    /// A part of a picture, for [`Svg::append`].
    pub(crate) fn part() -> Svg {
        Svg { out: String::new() }
    }

    pub(crate) fn append(&mut self, part: Svg) {
        self.out.push_str(&part.out);
    }

    /// Opens a group whose attributes hold for all in it that has none of its own.
    pub(crate) fn open_group(&mut self, attributes: &str) {
        self.put(format_args!("<g {attributes}>\n"));
    }

    pub(crate) fn close_group(&mut self) {
        self.out.push_str("</g>\n");
    }

    pub(crate) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    fn put(&mut self, arguments: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(arguments); // writing to a `String` cannot fail
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: Anchor, font: Font, text: &str) {
        if text.is_empty() {
            return;
        }
        let anchor = anchor.attribute();
        let weight = if font.bold { " font-weight=\"600\"" } else { "" };
        self.put(format_args!(
            "<text x=\"{}\" y=\"{}\"{anchor} font-size=\"{}\"{weight} fill=\"{}\">{}</text>\n",
            pixels(x),
            pixels(y),
            font.size,
            font.colour,
            escape(text)
        ));
    }

    /// Several texts in one line, with gaps between them.
    pub(crate) fn spans(&mut self, x: f64, y: f64, anchor: Anchor, spans: &[Span<'_>]) {
        let anchor = anchor.attribute();
        self.put(format_args!("<text x=\"{}\" y=\"{}\"{anchor}>", pixels(x), pixels(y)));
        for (index, span) in spans.iter().filter(|s| !s.text.is_empty()).enumerate() {
            let Span { gap, font, text } = span;
            let weight = if font.bold { " font-weight=\"600\"" } else { "" };
            // a shift of the first part would move the whole line
            let shifted = index > 0 && *gap > 0.0;
            let gap = if shifted { format!(" dx=\"{}\"", pixels(*gap)) } else { String::new() };
            self.put(format_args!(
                "<tspan{gap} font-size=\"{}\"{weight} fill=\"{}\">{}</tspan>",
                font.size,
                font.colour,
                escape(text)
            ));
        }
        self.put(format_args!("</text>\n"));
    }

    /// A text that reads upwards, centred at the point.
    pub(crate) fn upward_text(&mut self, x: f64, y: f64, font: Font, text: &str) {
        let (x, y) = (pixels(x), pixels(y));
        self.put(format_args!("<g transform=\"translate({x} {y}) rotate(-90)\">"));
        self.text(0.0, 0.0, Anchor::Middle, font, text);
        self.put(format_args!("</g>\n"));
    }

    pub(crate) fn fill(&mut self, area: Area, colour: &str) {
        self.put(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"/>\n",
            pixels(area.left),
            pixels(area.top),
            pixels((area.right - area.left).max(0.0)),
            pixels((area.bottom - area.top).max(0.0)),
        ));
    }

    /// Straight lines; each is two points.
    pub(crate) fn segments(&mut self, segments: &[[(f64, f64); 2]], stroke: Stroke) {
        let runs: Vec<_> = segments.iter().map(|s| s.to_vec()).collect();
        self.path(&runs, stroke);
    }

    /// A curve of several runs with gaps between them; a run of one point becomes a dot.
    pub(crate) fn path(&mut self, runs: &[Vec<(f64, f64)>], stroke: Stroke) {
        self.styled_path(runs, stroke, false);
    }

    /// The same, perhaps in dashes.
    pub(crate) fn styled_path(&mut self, runs: &[Vec<(f64, f64)>], stroke: Stroke, dashed: bool) {
        let mut data = String::new();
        for run in runs {
            let mut previous = None;
            for (x, y) in run {
                let point = format!("{} {}", pixels(*x), pixels(*y));
                if previous.as_ref() != Some(&point) {
                    data.push_str(if previous.is_none() { "M" } else { "L" });
                    data.push_str(&point);
                }
                previous = Some(point);
            }
            if previous.is_some() && !data[data.rfind('M').unwrap_or(0)..].contains('L') {
                data.push_str("h0"); // round caps make it a dot
            }
        }
        if data.is_empty() {
            return;
        }
        let Stroke { colour, width, opacity } = stroke;
        let opacity =
            if opacity < 1.0 { format!(" stroke-opacity=\"{opacity}\"") } else { String::new() };
        let dashes = if dashed { " stroke-dasharray=\"5 5\"" } else { "" };
        self.put(format_args!(
            "<path d=\"{data}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{opacity} \
             stroke-linejoin=\"round\" stroke-linecap=\"round\"{dashes}/>\n"
        ));
    }

    /// Areas inside closed loops; a loop the other way round within another is a hole.
    pub(crate) fn area(&mut self, loops: &[Vec<(f64, f64)>], fill: &str, opacity: f64) {
        let mut data = String::new();
        for points in loops.iter().filter(|points| points.len() > 2) {
            for (index, (x, y)) in points.iter().enumerate() {
                data.push_str(if index == 0 { "M" } else { "L" });
                data.push_str(&format!("{} {}", pixels(*x), pixels(*y)));
            }
            data.push('Z');
        }
        if data.is_empty() {
            return;
        }
        let opacity =
            if opacity < 1.0 { format!(" fill-opacity=\"{opacity}\"") } else { String::new() };
        self.put(format_args!("<path d=\"{data}\" fill=\"{fill}\"{opacity}/>\n"));
    }

    pub(crate) fn circle(&mut self, x: f64, y: f64, radius: f64, fill: &str, stroke: Stroke) {
        self.put(format_args!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{fill}\" stroke=\"{}\" \
             stroke-width=\"{}\"/>\n",
            pixels(x),
            pixels(y),
            pixels(radius),
            stroke.colour,
            stroke.width
        ));
    }

    /// Grid, zero lines and the labels of the vertical axis of a panel.
    pub(crate) fn grid(&mut self, area: Area, x: &Axis, y: &Axis) {
        let crisp = |v: f64| v.round() + 0.5;
        let column = |t: &Tick| {
            let x = crisp(x.place(t.value, area.left, area.right));
            [(x, area.top), (x, area.bottom)]
        };
        let row = |t: &Tick| {
            let y = crisp(y.place(t.value, area.bottom, area.top));
            [(area.left, y), (area.right, y)]
        };
        let lines: Vec<_> = x.ticks.iter().map(column).chain(y.ticks.iter().map(row)).collect();
        self.segments(&lines, Stroke { colour: colour::GRID, width: 1.0, opacity: 1.0 });
        let zero = |axis: &Axis, t: &&Tick| axis.numbers && t.value == 0.0;
        let zero_columns = x.ticks.iter().filter(|t| zero(x, t)).map(column);
        let zero_rows = y.ticks.iter().filter(|t| zero(y, t)).map(row);
        let zeros: Vec<_> = zero_columns.chain(zero_rows).collect();
        self.segments(&zeros, Stroke { colour: colour::ZERO, width: 1.0, opacity: 1.0 });
        for tick in &y.ticks {
            let y = y.place(tick.value, area.bottom, area.top) + 4.0;
            self.text(area.left - 8.0, y, Anchor::End, SMALL, &tick.label);
        }
    }

    /// The frame of a panel, drawn over the data.
    pub(crate) fn frame(&mut self, area: Area) {
        let Area { left, top, right, bottom } = area;
        let (left, top, right, bottom) =
            (left.round() + 0.5, top.round() + 0.5, right.round() + 0.5, bottom.round() + 0.5);
        let around = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        self.path(&[around], Stroke { colour: colour::FRAME, width: 1.0, opacity: 1.0 });
    }

    /// The labels of the horizontal axis below a panel.
    pub(crate) fn x_labels(&mut self, area: Area, axis: &Axis, name: &str) {
        for tick in &axis.ticks {
            let x = axis.place(tick.value, area.left, area.right);
            self.text(x, area.bottom + 17.0, Anchor::Middle, SMALL, &tick.label);
        }
        let middle = (area.left + area.right) / 2.0;
        let name = axis.title(name, area.right - area.left + 40.0);
        self.text(middle, area.bottom + 36.0, Anchor::Middle, LABEL, &name);
    }
}

/// A length with at most one decimal; never anything but a number.
fn pixels(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML content or attribute; characters that XML cannot hold become `\u{fffd}`.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<b & \"c\"\u{1}\n>"), "a&lt;b &amp; &quot;c&quot;\u{fffd} &gt;");
    }

    #[test]
    fn lengths_are_short_and_finite() {
        assert_eq!(pixels(3.0), "3");
        assert_eq!(pixels(-0.04), "0");
        assert_eq!(pixels(2.25), "2.2");
        assert_eq!(pixels(f64::NAN), "0");
    }

    #[test]
    fn a_single_point_is_a_dot() {
        let mut svg = Svg::new(10.0, 10.0, "");
        let stroke = Stroke { colour: "#000000", width: 1.0, opacity: 1.0 };
        svg.path(&[vec![(1.0, 2.0)], vec![(3.0, 3.0), (4.0, 4.0)]], stroke);
        assert!(svg.finish().contains("d=\"M1 2h0M3 3L4 4\""));
    }
}
