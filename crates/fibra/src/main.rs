//! The `fibra` command.

fn main() {}
