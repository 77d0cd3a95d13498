//! CSV with the axes of a case in its first columns.

use crate::words::Case;

pub(super) struct Csv<'a> {
    axes: &'a [String],
    writer: csv::Writer<Vec<u8>>,
}

impl<'a> Csv<'a> {
    pub(super) fn new(axes: &'a [String], columns: &str) -> Result<Self, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let axis = axes.iter().map(String::as_str);
        writer.write_record(axis.chain(columns.split(',')))?;
        Ok(Csv { axes, writer })
    }

    pub(super) fn line<S: AsRef<str>>(
        &mut self,
        case: &Case,
        fields: impl IntoIterator<Item = S>,
    ) -> Result<(), csv::Error> {
        for axis in self.axes {
            self.writer.write_field(text(case.get(axis)))?;
        }
        for field in fields {
            self.writer.write_field(field.as_ref())?;
        }
        self.writer.write_record(None::<&[u8]>)
    }

    pub(super) fn finish(self) -> Result<Vec<u8>, csv::Error> {
        let done = self.writer.into_inner();
        done.map_err(|error| error.into_error().into())
    }
}

/// The shortest text that reads back as the same value; empty for `None`.
pub(super) fn text<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
