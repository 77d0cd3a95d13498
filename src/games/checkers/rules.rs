use crate::games::options::{OptionError, read_number};
use crate::words::{Params, Value};

/// The paper's "50 ruchów bez bicia" means 50 plies, because a *ruch* is one side's turn (the structure `Move`).
const DRAW_AFTER: u32 = 50;

/// Allowed values of the option `draw-after`. A game has at most 25 times this number of plies, which must not exceed
/// [`MOST_PLIES`](crate::random::MOST_PLIES).
const DRAWS_AFTER: std::ops::RangeInclusive<i64> = 1..=2000;

/// Allowed values of the option `capture`, for error messages.
pub const CAPTURE_ALLOWED: &str = "longest (any of the captures that take the most pieces, as in the \
                                   paper) or any (any complete capture, the official rule)";

/// Allowed values of the option `draw-after`, for error messages.
pub const DRAW_AFTER_ALLOWED: &str =
    "a whole number from 1 to 2000: plies without a capture after which the game is drawn";

/// Selects which captures are legal. A side that can capture must capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Capture {
    /// Only captures that take the most pieces are legal ("można wybrać dowolne z najdłuższych", "any of the longest").
    #[default]
    Longest,
    /// All complete captures are legal, as in the official rules.
    Any,
}

/// The rules that differ between the paper and the official game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Which captures are legal.
    pub capture: Capture,
    /// Number of plies without a capture after which the game is drawn, from 1 to 2000.
    pub draw_after: u32,
}

impl Rules {
    /// Reads the rules from the options `capture` and `draw-after`. Ignores other keys. Fails if a value is invalid.
    pub fn new(options: &Params) -> Result<Rules, OptionError> {
        let default = Rules::default();
        let capture = options.get("capture").map(read_capture).transpose()?;
        let draw_after = options.get("draw-after").map(read_draw_after).transpose()?;
        Ok(Rules {
            capture: capture.unwrap_or(default.capture),
            draw_after: draw_after.unwrap_or(default.draw_after),
        })
    }

    /// Returns rules that programs often use: any complete capture, and a draw after 80 plies without a capture.
    pub fn any_80() -> Rules {
        Rules {
            capture: Capture::Any,
            draw_after: 80,
        }
    }
}

impl Default for Rules {
    /// Returns the paper's rules: only the longest captures, and a draw after 50 plies without a capture.
    fn default() -> Rules {
        Rules {
            capture: Capture::default(),
            draw_after: DRAW_AFTER,
        }
    }
}

/// Checks the option `capture`. Fails if it is neither `longest` nor `any`.
pub fn read_capture(value: &Value) -> Result<Capture, OptionError> {
    match value.as_text() {
        Some("longest") => Ok(Capture::Longest),
        Some("any") => Ok(Capture::Any),
        _ => Err(OptionError(format!(
            "capture: `{value}`; allowed is {CAPTURE_ALLOWED}"
        ))),
    }
}

/// Checks the option `draw-after`. Fails if it is not a whole number from 1 to 2000.
pub fn read_draw_after(value: &Value) -> Result<u32, OptionError> {
    read_number("draw-after", value, DRAWS_AFTER, DRAW_AFTER_ALLOWED).map(|plies| plies as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::MOST_PLIES;

    fn read(key: &str, value: Value) -> Result<Rules, String> {
        let options = Params::from([(key.to_owned(), value)]);
        Rules::new(&options).map_err(|error| error.to_string())
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let wrong = read("capture", Value::Text("most".into())).unwrap_err();
        let part = "capture: `most`; allowed is longest (any of";
        assert!(wrong.starts_with(part), "{wrong}");
        for value in [Value::Int(0), Value::Int(2001), Value::Flag(true)] {
            let wrong = read("draw-after", value.clone()).unwrap_err();
            let expected =
                format!("draw-after: `{value}`; allowed is a whole number from 1 to 2000");
            assert!(wrong.starts_with(&expected), "{wrong}");
        }
        assert!(25 * (*DRAWS_AFTER.end() as u32 + 1) < MOST_PLIES);
    }
}
