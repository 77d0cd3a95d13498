use std::io::{Error, Result, Write};

use super::columns::LongTable;
use super::value::Value;

/// Writes a header and a line a row.
pub fn write(table: &LongTable<'_>, out: &mut impl Write) -> Result<u64> {
    let mut writer = csv::Writer::from_writer(out);
    let columns = table.columns();
    let names = columns.iter().map(|column| &column.name);
    writer.write_record(names).map_err(Error::other)?;
    let mut count = 0;
    for row in table.rows() {
        for value in &row {
            let field = match value {
                Value::Text(text) => text.to_string(),
                Value::Whole(number) => number.to_string(),
                Value::Missing => String::new(),
            };
            writer.write_field(field).map_err(Error::other)?;
        }
        writer.write_record(None::<&[u8]>).map_err(Error::other)?;
        count += 1;
    }
    writer.flush()?;
    Ok(count)
}
