//! The structs of the plugin ABI, mirrored from the C headers. All examples in Rust share them.

#[path = "../../rust_abi.rs"]
mod shared;
pub use shared::*;
