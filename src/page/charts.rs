//! Small pictures as SVG. Each says in words what it shows; what is in it stands in a list or table
//! beside it.

use maud::{Markup, html};

/// Width and height of a curve.
const WIDE: f64 = 120.0;
const HIGH: f64 = 24.0;

/// A curve of values, the oldest first.
pub fn curve(values: &[f64], says: &str) -> Markup {
    let least = values.iter().copied().fold(0.0, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    let span = if most > least { most - least } else { 1.0 };
    let step = WIDE / (values.len().max(2) - 1) as f64;
    let points: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let high = HIGH - 2.0 - (value - least) / span * (HIGH - 4.0);
            format!("{:.1},{high:.1}", at as f64 * step)
        })
        .collect();
    html! {
        svg.curve viewBox=(format!("0 0 {WIDE} {HIGH}")) width=(WIDE) height=(HIGH) role="img" aria-label=(says) {
            polyline points=(points.join(" ")) {}
        }
    }
}

/// Bars of counts, the oldest first.
pub fn bars(counts: &[usize], says: &str) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = WIDE / counts.len().max(1) as f64;
    html! {
        svg.bars viewBox=(format!("0 0 {WIDE} {HIGH}")) width=(WIDE) height=(HIGH) role="img" aria-label=(says) {
            @for (at, count) in counts.iter().enumerate() {
                @let high = *count as f64 / most * (HIGH - 1.0);
                @let high = if *count == 0 { 1.0 } else { high.max(2.0) };
                rect x=(format!("{:.1}", at as f64 * step)) y=(format!("{:.1}", HIGH - high))
                    width=(format!("{:.1}", (step - 1.0).max(1.0))) height=(format!("{high:.1}"))
                    class=[(*count == 0).then_some("none")] {}
            }
        }
    }
}

/// Parts of a whole as one bar, from 0 to 1 each.
pub fn shares(parts: &[(&str, f32)], says: &str) -> Markup {
    let mut start = 0.0;
    html! {
        svg.shares viewBox="0 0 100 6" width="100" height="6" role="img" aria-label=(says) preserveAspectRatio="none" {
            rect.none x="0" y="0" width="100" height="6" {}
            @for (name, part) in parts {
                @let wide = part.clamp(0.0, 1.0) * 100.0;
                rect class=(name) x=(format!("{start:.1}")) y="0" width=(format!("{wide:.1}")) height="6" {}
                ({ start += wide; "" })
            }
        }
    }
}

/// When something went on within a longer time: begin and end from 0 to 1.
pub fn span(from: f64, to: f64, kind: &str) -> Markup {
    let (x, wide) = (from.clamp(0.0, 1.0) * 200.0, ((to - from).clamp(0.0, 1.0) * 200.0).max(1.5));
    html! {
        svg.span viewBox="0 0 200 10" width="200" height="10" aria-hidden="true" preserveAspectRatio="none" {
            rect.none x="0" y="4" width="200" height="2" {}
            rect class=(kind) x=(format!("{:.1}", x.min(198.5))) y="0" width=(format!("{wide:.1}")) height="10" {}
        }
    }
}
