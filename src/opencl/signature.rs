//! Reads the parameters of a kernel from its source, so that the host can set arguments by name.

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub name: String,
    /// The type without qualifiers, such as `uint2`. For a pointer, the type of its elements.
    pub kind: String,
    /// The kind of argument that the parameter accepts.
    pub space: Space,
}

/// The kinds of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// A number or a vector.
    Value,
    /// A buffer.
    Global,
    /// Local memory.
    Local,
    /// An image.
    Image,
    /// An argument of a type that the kernel file defines.
    Any,
}

/// Words in a declaration that are not types.
const QUALIFIERS: [&str; 7] = [
    "const",
    "restrict",
    "volatile",
    "global",
    "local",
    "read_only",
    "write_only",
];

impl Parameter {
    fn read(text: &str) -> Option<Parameter> {
        let mut words = words(text).filter(|word| !is_qualifier(word));
        let first = words.next()?.to_owned();
        // The type may be a macro. A macro for further parameters may follow the last name.
        let (kind, name) = match words.next() {
            Some(name) => (first, name.to_owned()),
            None => (String::new(), first),
        };
        let space = match () {
            () if kind.starts_with("image") => Space::Image,
            () if text.contains('*') && has_word(text, "local") => Space::Local,
            () if text.contains('*') => Space::Global,
            () if of_rust(&kind).is_empty() => Space::Any,
            () => Space::Value,
        };
        Some(Parameter { name, kind, space })
    }

    /// True if the parameter accepts a value of the Rust type `given`: a number, a vector, or an element of a buffer.
    /// Signedness does not matter for elements. If the kernel file defines the parameter's type, any value fits.
    pub fn takes(&self, given: &str) -> bool {
        let known = of_rust(&self.kind);
        let given = given.rsplit("::").next().unwrap_or(given);
        known.is_empty()
            || given.is_empty()
            || given.eq_ignore_ascii_case(&self.kind)
            || match self.space {
                Space::Value => given == known && !self.kind.ends_with(is_digit),
                _ => given.replace('i', "u") == known.replace('i', "u"),
            }
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Returns the Rust type of an OpenCL number or of a vector's elements, or an empty text for other types.
fn of_rust(kind: &str) -> &'static str {
    match kind.trim_end_matches(is_digit) {
        "char" => "i8",
        "uchar" => "u8",
        "short" => "i16",
        "ushort" => "u16",
        "int" => "i32",
        "uint" => "u32",
        "long" => "i64",
        "ulong" => "u64",
        "float" => "f32",
        "double" => "f64",
        _ => "",
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// True if a text contains a word, with or without leading underscores.
fn has_word(text: &str, word: &str) -> bool {
    words(text).any(|it| it.trim_start_matches('_') == word)
}

fn is_qualifier(word: &str) -> bool {
    // A word in capitals is a macro that names an address space, such as `SHARED`.
    let is_macro = word.len() > 1 && word.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
    QUALIFIERS.contains(&word.trim_start_matches('_')) || is_macro
}

/// Parses a kernel's parameters. Returns none if the kernel is missing. Parameters under `#if` must come last.
pub(super) fn parameters(source: &str, kernel: &str) -> Vec<Parameter> {
    let lines = source
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join(" ");
    let mut kernels = code.split("kernel ").skip(1);
    let list = kernels.find_map(|text| {
        let (head, _) = text.split_once('{')?;
        let (name, list) = head.split_once("void ")?.1.split_once('(')?;
        (name == kernel).then(|| list.trim_end().trim_end_matches(')'))
    });
    let list = list.unwrap_or_default();
    list.split(',').filter_map(Parameter::read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// A __kernel void other(int a) {\n\
        __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void first(\n\
            __global const uint2 *restrict positions,\n    const int depth, // plies\n\
            SHARED uint *next,\n    __local lanes_t *room\n#if LANES > 0\n    ,\n    const int2 more\n#endif\n\
        ) {\n}\n__kernel void second(__read_only image2d_t board, READ_TEXTURE state, const uint budget GAME_PARAMETERS) {}\n";

    fn texts(kernel: &str) -> Vec<String> {
        let text = |it: Parameter| format!("{:?} {} {}", it.space, it.kind, it.name);
        parameters(SOURCE, kernel).into_iter().map(text).collect()
    }

    #[test]
    fn parameters_have_names_and_types() {
        let expected = [
            "Global uint2 positions",
            "Value int depth",
            "Global uint next",
            "Local lanes_t room",
            "Value int2 more",
        ];
        assert_eq!(texts("first"), expected);
        assert_eq!(
            texts("second"),
            ["Image image2d_t board", "Any  state", "Value uint budget"]
        );
        assert_eq!(texts("other"), [""; 0]);
    }

    #[test]
    fn a_parameter_takes_values_of_its_type() {
        let found = parameters(SOURCE, "first");
        let takes = |at: usize, given| found[at].takes(given);
        assert!(takes(0, "u32") && takes(0, "i32") && !takes(0, "u64") && !takes(0, "f32"));
        assert!(takes(1, "i32") && !takes(1, "u32") && !takes(1, "i64"));
        assert!(takes(3, "u32"), "the kernel's own type");
        assert!(takes(4, "ocl::prm::Int2") && !takes(4, "i32"));
    }
}
