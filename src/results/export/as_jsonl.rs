use std::io::{Result, Write};

use super::columns::LongTable;
use super::value::Value;

/// Writes an object a line, its keys in the order of the columns.
pub fn write(table: &LongTable<'_>, out: &mut impl Write) -> Result<u64> {
    let columns = table.columns();
    let mut count = 0;
    for row in table.rows() {
        let mut mark = "{";
        for (column, value) in columns.iter().zip(&row) {
            write!(out, "{mark}{}:", serde_json::to_string(&column.name)?)?;
            match value {
                Value::Text(text) => out.write_all(serde_json::to_string(text)?.as_bytes())?,
                Value::Whole(number) => write!(out, "{number}")?,
                Value::Missing => out.write_all(b"null")?,
            }
            mark = ",";
        }
        out.write_all(b"}\n")?;
        count += 1;
    }
    out.flush()?;
    Ok(count)
}
