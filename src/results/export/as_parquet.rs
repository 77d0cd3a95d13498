use std::io::{Error, Result, Write};
use std::sync::Arc;

use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::columns::LongTable;
use super::value::{Column, Kind, Value};

/// Writes one row group, uncompressed: texts as UTF-8, whole numbers as INT64, every column optional.
pub fn write(table: &LongTable<'_>, out: &mut (impl Write + Send)) -> Result<u64> {
    let columns = table.columns();
    let fields = columns.iter().map(|column| field(column).map(Arc::new));
    let schema = Type::group_type_builder("samples")
        .with_fields(fields.collect::<Result<_>>()?)
        .build()
        .map_err(Error::other)?;
    let rows: Vec<Vec<Value<'_>>> = table.rows().collect();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file =
        SerializedFileWriter::new(out, Arc::new(schema), properties).map_err(Error::other)?;
    let mut group = file.next_row_group().map_err(Error::other)?;
    for (place, column) in columns.iter().enumerate() {
        let own = rows.iter().map(|row| &row[place]);
        let levels: Vec<i16> = own
            .clone()
            .map(|it| i16::from(*it != Value::Missing))
            .collect();
        let mut writer = group
            .next_column()
            .map_err(Error::other)?
            .ok_or_else(|| Error::other("a column less than the schema has"))?;
        match column.kind {
            Kind::Text => {
                let texts: Vec<ByteArray> = own
                    .filter_map(|value| match value {
                        Value::Text(text) => Some(ByteArray::from(text.as_ref())),
                        _ => None,
                    })
                    .collect();
                let typed = writer.typed::<ByteArrayType>();
                typed
                    .write_batch(&texts, Some(&levels), None)
                    .map_err(Error::other)?;
            }
            Kind::Whole => {
                let numbers = own.filter_map(|value| match value {
                    Value::Whole(number) => Some(i64::try_from(*number).map_err(|_| {
                        Error::other(format!("{}: {number} does not fit 63 bits", column.name))
                    })),
                    _ => None,
                });
                let numbers = numbers.collect::<Result<Vec<i64>>>()?;
                let typed = writer.typed::<Int64Type>();
                typed
                    .write_batch(&numbers, Some(&levels), None)
                    .map_err(Error::other)?;
            }
        }
        writer.close().map_err(Error::other)?;
    }
    group.close().map_err(Error::other)?;
    file.close().map_err(Error::other)?;
    Ok(rows.len() as u64)
}

fn field(column: &Column) -> Result<Type> {
    let (physical, converted) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
        Kind::Whole => (Physical::INT64, ConvertedType::NONE),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_converted_type(converted)
        .with_repetition(Repetition::OPTIONAL)
        .build()
        .map_err(Error::other)
}
