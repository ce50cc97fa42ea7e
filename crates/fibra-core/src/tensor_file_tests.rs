use super::*;
use proptest::prelude::*;
use safetensors::SafeTensors;

fn sample() -> TensorFile<'static> {
    TensorFile {
        metadata: [("time".to_owned(), "0.25".to_owned()), ("a \"quote\"".to_owned(), "ü".to_owned())].into(),
        tensors: [
            ("points".to_owned(), Tensor::rows(&[[1.0f32, 2.0, 3.0]])),
            ("energy".to_owned(), Tensor::values([0.1f64, -0.0])),
            ("object".to_owned(), Tensor::values([7u32])),
            ("seed".to_owned(), Tensor::values([u64::MAX])),
            ("nothing".to_owned(), Tensor::rows::<f32, 3>(&[])),
        ]
        .into(),
    }
}

fn bytes_of(file: &TensorFile) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write_to(&mut bytes).unwrap();
    bytes
}

/// Builds a file from a header text and data.
fn raw(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

#[test]
fn files_round_trip() {
    let bytes = bytes_of(&sample());
    assert_eq!(bytes.len(), sample().byte_len());
    assert_eq!(TensorFile::from_bytes(&bytes).unwrap(), sample());
    assert_eq!(TensorFile::from_bytes(&bytes_of(&TensorFile::default())).unwrap(), TensorFile::default());
}

#[test]
fn the_safetensors_crate_reads_our_files() {
    let bytes = bytes_of(&sample());
    let (header, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(header % LENGTH_BYTES, 0);
    assert_eq!(metadata.metadata().as_ref().unwrap()["time"], "0.25");
    let theirs = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(theirs.len(), sample().tensors.len());
    for (name, tensor) in sample().tensors {
        let view = theirs.tensor(&name).unwrap();
        assert_eq!(view.shape(), tensor.shape());
        assert_eq!(TensorData::decode(view.dtype(), view.data()).as_ref(), Some(tensor.data()));
        let address = view.data().as_ptr() as usize - bytes.as_ptr() as usize;
        assert_eq!(address % (view.dtype().bitsize() / 8), 0, "{name} is misaligned");
    }
}

#[test]
fn we_read_files_of_the_safetensors_crate() {
    let view = safetensors::tensor::TensorView::new(Dtype::U32, vec![2], &[1, 0, 0, 0, 2, 0, 0, 0]).unwrap();
    let bytes = safetensors::serialize([("ids", view)], None).unwrap();
    assert_eq!(TensorFile::from_bytes(&bytes).unwrap().values::<u32>("ids").unwrap(), [1, 2]);
}

#[test]
fn damaged_files_give_specific_errors() {
    let truncated = {
        let mut bytes = bytes_of(&sample());
        bytes.truncate(bytes.len() - 1);
        bytes
    };
    let table: &[(&str, Vec<u8>, &str)] = &[
        ("empty", vec![], "too few"),
        ("huge header", vec![255; 16], "not a safetensors file"),
        ("cut header", raw("{}", b"")[..9].to_vec(), "too few"),
        ("not JSON", raw("{", b""), "header"),
        ("cut data", truncated, "only"),
        ("trailing bytes", raw("{}", b"x"), "1 bytes follow"),
        (
            "overlap",
            raw(
                r#"{"a":{"dtype":"U32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U32","shape":[1],"data_offsets":[4,8]}}"#,
                &[0; 8],
            ),
            "`b` lies at bytes 4..8, but must begin at 8",
        ),
        (
            "backwards",
            raw(
                r#"{"a":{"dtype":"U32","shape":[1],"data_offsets":[0,0]},"b":{"dtype":"U32","shape":[1],"data_offsets":[4,0]}}"#,
                &[0; 4],
            ),
            "`a` of shape [1]",
        ),
        (
            "wrong length",
            raw(r#"{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,4]}}"#, &[0; 4]),
            "`a` of shape [1] and type F64 cannot have 4 bytes",
        ),
        (
            "overflowing shape",
            raw(r#"{"a":{"dtype":"U32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}"#, b""),
            "`a` of shape",
        ),
        (
            "unread type",
            raw(r#"{"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}"#, &[0; 8]),
            "`a` is of type I64",
        ),
    ];
    for (case, bytes, expected) in table {
        let message = TensorFile::from_bytes(bytes).unwrap_err().to_string();
        assert!(message.contains(expected), "{case}: {message}");
    }
}

/// The lengths below sum to 2^64 - 8. Unchecked addition of the header's length wraps around.
#[test]
fn lengths_with_overflowing_sum_are_rejected() {
    let mut header = String::from("{");
    let step = (1u64 << 61) - 1;
    for i in 0..8u64 {
        let comma = if i == 0 { "" } else { "," };
        header += &format!(
            r#"{comma}"t{i}":{{"dtype":"BOOL","shape":[{step}],"data_offsets":[{},{}]}}"#,
            i * step,
            (i + 1) * step
        );
    }
    header += "}";
    let message = TensorFile::from_bytes(&raw(&header, b"")).unwrap_err().to_string();
    assert!(message.contains("`t0` ends at byte"), "{message}");
}

#[test]
fn access_checks_type_shape_and_finiteness() {
    let mut file = sample();
    file.tensors.insert("bad".to_owned(), Tensor::values([1.0f32, f32::INFINITY]));
    assert_eq!(file.rows::<f32, 3>("points").unwrap(), [[1.0, 2.0, 3.0]]);
    assert_eq!(file.parsed::<f64>("time").unwrap(), 0.25);
    let messages = [
        file.values::<f32>("absent").unwrap_err(),
        file.values::<f64>("object").unwrap_err(),
        file.values::<f32>("points").unwrap_err(),
        file.rows::<f32, 4>("points").unwrap_err(),
        file.expect_rows("object", 2).unwrap_err(),
        file.expect_finite("bad").unwrap_err(),
        file.parsed::<u32>("time").unwrap_err(),
        file.parsed::<u32>("frame").unwrap_err(),
    ]
    .map(|fault| fault.to_string());
    assert_eq!(
        messages,
        [
            "tensor `absent` is missing",
            "tensor `object` is of type U32, expected F64",
            "tensor `points` is of shape [1, 3], expected [n]",
            "tensor `points` is of shape [1, 3], expected [n, 4]",
            "tensor `object` is of shape [1], expected 2 rows",
            "tensor `bad` is not finite at element 1",
            "metadata `time` cannot be `0.25`",
            "metadata `frame` is missing",
        ]
    );
}

#[test]
fn an_error_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0007.safetensors");
    let missing = TensorFile::read(&path).unwrap_err().to_string();
    assert!(missing.starts_with("cannot read ") && missing.contains("0007.safetensors"), "{missing}");
    std::fs::write(&path, b"junk").unwrap();
    let damaged = TensorFile::read(&path).unwrap_err().to_string();
    assert!(damaged.contains("0007.safetensors: 4 bytes are too few"), "{damaged}");
    sample().write(&path).unwrap();
    assert_eq!(TensorFile::read(&path).unwrap(), sample());
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = TensorFile::from_bytes(&bytes);
    }

    #[test]
    fn random_headers_never_panic(header in "\\{(\"[ab]\":\\{\"dtype\":\"(U32|F4|I64)\",\"shape\":\\[[0-9]{0,19}\\],\"data_offsets\":\\[[0-9]{1,20},[0-9]{1,20}\\]\\},?){0,3}\\}") {
        let _ = TensorFile::from_bytes(&raw(&header, &[0; 16]));
    }

    #[test]
    fn mutated_files_are_read_or_rejected(at in any::<prop::sample::Index>(), value in any::<u8>(), keep in any::<prop::sample::Index>()) {
        let mut bytes = bytes_of(&sample());
        let at = at.index(bytes.len());
        bytes[at] = value;
        let _ = TensorFile::from_bytes(&bytes);
        bytes.truncate(keep.index(bytes.len()));
        prop_assert!(TensorFile::from_bytes(&bytes).is_err());
    }

    #[test]
    fn round_trip(points in proptest::collection::vec(any::<[f32; 3]>(), 0..9), ids in proptest::collection::vec(any::<u64>(), 0..9), key in ".*", text in ".*") {
        let file = TensorFile {
            metadata: [(key, text)].into(),
            tensors: [("points".to_owned(), Tensor::rows(&points)), ("ids".to_owned(), Tensor::values(ids))].into(),
        };
        let bytes = bytes_of(&file);
        // Compare bytes because NaN does not equal itself.
        prop_assert_eq!(bytes_of(&TensorFile::from_bytes(&bytes).unwrap()), bytes);
    }
}

#[test]
fn invalid_times_and_step_counts_are_rejected() {
    let mut file = TensorFile::default();
    let mut put = |name: &str, tensor| file.tensors.insert(name.to_owned(), tensor);
    put("time", Tensor::values([0.5f64]));
    put("late", Tensor::values([f64::INFINITY]));
    put("steps", Tensor::values([7u64]));
    put("many", Tensor::values([u64::MAX]));
    assert_eq!((file.time("time"), file.steps("steps")), (Ok(0.5), Ok(7)));
    let message = |fault: TensorFault| fault.to_string();
    assert_eq!(message(file.time("late").unwrap_err()), "tensor `late`, element 0: inf s is not a valid time");
    assert!(message(file.steps("many").unwrap_err()).contains("out of range"));
    assert!(matches!(file.array::<u64, 2>("steps"), Err(TensorFault::WrongShape { .. })));
}
