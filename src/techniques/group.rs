//! The parameter `group` of most techniques: work-items in a work-group.

use crate::opencl::WorkGroup;
use crate::words::{Fault, ParamEntry, Params, Value};

/// Work-items in a work-group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// The technique's own choice.
    #[default]
    Auto,
    /// This many work-items.
    Items(usize),
}

impl Group {
    /// Reads the parameter; [`Group::Auto`] if it is not given. Fails with [`Fault::Input`] with the error of
    /// [`Group::parse`].
    pub fn read(params: &Params, entry: &ParamEntry) -> Result<Group, Fault> {
        entry.given(params, Group::Auto, |value| Group::parse(value, entry))
    }

    /// Reads one value of the parameter. Fails with one line that names the key, the value and what is allowed.
    pub fn parse(value: &Value, entry: &ParamEntry) -> Result<Group, String> {
        let items = entry.whole_or_auto(value, 1..=1024)?;
        Ok(items.map_or(Group::Auto, Group::Items))
    }

    /// The requested size; if there is none, the largest possible one up to `auto`.
    pub fn or(self, auto: usize) -> WorkGroup {
        match self {
            Group::Auto => WorkGroup::UpTo(auto),
            Group::Items(items) => WorkGroup::Exactly(items),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: ParamEntry = ParamEntry {
        name: "group",
        allowed: "`auto` or a number",
        default: "auto",
        check: |value| Group::parse(value, &GROUP).map(drop),
    };

    #[test]
    fn a_group_is_automatic_or_a_number() {
        let parse = |value: &Value| Group::parse(value, &GROUP);
        assert_eq!(Group::read(&Params::new(), &GROUP), Ok(Group::Auto));
        assert_eq!(parse(&Value::Text("auto".into())), Ok(Group::Auto));
        assert_eq!(parse(&Value::Int(33)), Ok(Group::Items(33)));
        for wrong in [Value::Int(0), Value::Int(1025), Value::Flag(true)] {
            let error = parse(&wrong).unwrap_err();
            let expected = format!("group: `{wrong}`; allowed is `auto` or a number");
            assert_eq!(error, expected);
        }
        assert_eq!(Group::Auto.or(64), WorkGroup::UpTo(64));
        assert_eq!(Group::Items(5).or(64), WorkGroup::Exactly(5));
    }
}
