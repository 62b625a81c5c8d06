//! The part of the plugin ABI that clouds and expanders need, mirrored from the C headers of
//! `capstan/abi`.
//!
//! Structs of the host may be longer than these, so they are only read through pointers, and
//! elements of an array are found by its stride.

#![allow(dead_code)] // A plugin needs only a part.

use std::ffi::{c_char, c_void, CStr};
use std::mem::size_of;

pub type Status = i32;
pub const OK: Status = 0;
pub const E_UNSUPPORTED: Status = 1;
pub const E_INVALID_ARGUMENT: Status = 2;
pub const E_INVALID_CONFIG: Status = 3;
pub const E_NOT_FOUND: Status = 4;
pub const E_CONFLICT: Status = 5;
pub const E_INTERNAL: Status = 14;

pub const KIND_CLOUD: &str = "capstan.cloud/1";
pub const KIND_EXPANDER: &str = "capstan.expander/1";
pub const INTERFACE_TEMPLATES: &str = "capstan.cloud.templates/1";
pub const SERVICE_OPS: &CStr = c"capstan.ops/1";
pub const SERVICE_CLOCK: &CStr = c"capstan.clock/1";

/// The id of an operation of the host. Each operation is ended exactly once.
pub type Op = u64;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    pub ptr: *const u8,
    pub len: usize,
}

/// Borrows `s`.
pub const fn text(s: &str) -> Str {
    Str {
        ptr: s.as_ptr(),
        len: s.len(),
    }
}

impl Str {
    /// Borrows the text; empty if it is not UTF-8.
    ///
    /// # Safety
    /// The text must outlive the result.
    pub unsafe fn as_text<'a>(&self) -> &'a str {
        if self.len == 0 {
            return "";
        }
        std::str::from_utf8(std::slice::from_raw_parts(self.ptr, self.len)).unwrap_or("")
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Array {
    pub data: *const c_void,
    pub count: u32,
    pub stride: u32,
}

pub const EMPTY: Array = Array {
    data: std::ptr::null(),
    count: 0,
    stride: 0,
};

impl Array {
    /// Borrows `items`.
    pub fn of<T>(items: &[T]) -> Array {
        Array {
            data: items.as_ptr().cast(),
            count: items.len() as u32,
            stride: size_of::<T>() as u32,
        }
    }

    /// Borrows the elements.
    ///
    /// # Safety
    /// Each element must begin with a `T`, and must outlive the result.
    pub unsafe fn iter<'a, T: 'a>(&self) -> impl Iterator<Item = &'a T> {
        let (data, stride) = (self.data.cast::<u8>(), self.stride as usize);
        (0..self.count as usize).map(move |i| unsafe { &*data.add(i * stride).cast::<T>() })
    }
}

#[repr(C)]
pub struct Error {
    pub struct_size: u32,
    pub code: Status,
    pub message: Str,
    pub provider_code: Str,
    pub subject: Str,
    pub retry_after_ms: i64,
    pub scope: i32,
    pub reserved: i32,
}

#[repr(C)]
pub struct Call {
    pub struct_size: u32,
    pub flags: u32,
    pub trace_id: u64,
    pub seed: u64,
    pub now_unix_ns: i64,
    pub deadline_ns: i64,
    pub ctx: *mut c_void,
    pub cancelled: extern "C" fn(*const Call) -> i32,
    pub fail: extern "C" fn(*const Call, *const Error) -> Status,
    pub explain: extern "C" fn(*const Call, Str),
}

pub const GROUP_MIN: u64 = 1;
pub const GROUP_MAX: u64 = 2;
pub const GROUP_TARGET: u64 = 4;

#[repr(C)]
pub struct Group {
    pub struct_size: u32,
    pub reserved: u32,
    pub present: u64,
    pub id: Str,
    pub min: i32,
    pub max: i32,
    pub target: i32,
    pub healthy: i32,
    pub autoprovisioned: i32,
    pub spot: i32,
    pub health_reason: Str,
    pub debug: Str,
    pub template_fingerprint: Str,
    pub tags: Array,
    pub zones: Array,
    pub price: *const c_void,
    pub options: *const c_void,
}

#[repr(C)]
pub struct Quantity {
    pub resource: Str,
    pub amount: i64,
}

#[repr(C)]
pub struct Template {
    pub struct_size: u32,
    pub variants: i32,
    pub name: Str,
    pub machine_type: Str,
    pub zone: Str,
    pub arch: Str,
    pub os: Str,
    pub labels: Array,
    pub annotations: Array,
    pub taints: Array,
    pub capacity: Array,
    pub allocatable: Array,
    pub free: Array,
    pub fingerprint: Str,
}

pub const MACHINE_REQUESTED: i32 = 1;
pub const MACHINE_RUNNING: i32 = 3;

#[repr(C)]
pub struct Machine {
    pub struct_size: u32,
    pub state: i32,
    pub present: u64,
    pub id: Str,
    pub group_id: Str,
    pub machine_type: Str,
    pub zone: Str,
    pub launched_unix_ns: i64,
    pub error: *const Error,
    pub template_fingerprint: Str,
    pub node_name: Str,
    pub leaves_unix_ns: i64,
    pub leaves_because: i32,
    pub spot: i32,
    pub price_per_hour: f64,
    pub addresses: Array,
}

#[repr(C)]
pub struct CloudView {
    pub struct_size: u32,
    pub complete: i32,
    pub groups: Array,
    pub machines: Array,
    pub unreadable: Array,
    pub lists_all_with_prefix: Str,
    pub target_lag_ms: i64,
}

/// The request of `refresh`; `flags` say, for example, that cached data is out of date.
#[repr(C)]
pub struct RefreshRequest {
    pub struct_size: u32,
    pub flags: u32,
}

#[repr(C)]
pub struct Resize {
    pub struct_size: u32,
    pub delta: i32,
    pub group_id: Str,
    pub expected_target: i32,
    pub all_or_nothing: i32,
    pub idempotency_key: Str,
    pub listed_target: i32,
    pub reserved: i32,
}

#[repr(C)]
pub struct Resized {
    pub struct_size: u32,
    pub target: i32,
    pub shortfall: *const Error,
}

#[repr(C)]
pub struct Removal {
    pub struct_size: u32,
    pub force: i32,
    pub group_id: Str,
    pub machine_ids: Array,
    pub idempotency_key: Str,
    pub keep_target: i32,
    pub reserved: i32,
}

#[repr(C)]
pub struct Removed {
    pub struct_size: u32,
    pub reserved: u32,
    pub failed: Array,
}

#[repr(C)]
pub struct Cloud {
    pub struct_size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub refresh: extern "C" fn(*mut c_void, Op, *const RefreshRequest) -> Status,
    pub increase: extern "C" fn(*mut c_void, Op, *const Resize) -> Status,
    pub decrease_target: extern "C" fn(*mut c_void, Op, *const Resize) -> Status,
    pub remove: extern "C" fn(*mut c_void, Op, *const Removal) -> Status,
}

#[repr(C)]
pub struct DescribeRequest {
    pub struct_size: u32,
    pub flags: u32,
    pub group_id: Str,
}

#[repr(C)]
pub struct CloudTemplates {
    pub struct_size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub describe: extern "C" fn(*mut c_void, Op, *const DescribeRequest) -> Status,
}

#[repr(C)]
pub struct ScaleUpOption {
    pub struct_size: u32,
    pub nodes: i32,
    pub present: u64,
    pub group: *const Group,
    pub node: *const c_void,
    pub pods: Array,
    pub requested: Array,
    pub pod_count: u32,
    pub group_exists: i32,
    pub similar: Array,
    pub price_per_hour: f64,
}

#[repr(C)]
pub struct ExpanderRequest {
    pub struct_size: u32,
    pub cluster_nodes: u32,
    pub options: Array,
    pub pods: Array,
}

#[repr(C)]
pub struct ExpanderResponse {
    pub struct_size: u32,
    pub reserved: u32,
    pub ctx: *mut c_void,
    pub keep: extern "C" fn(*const ExpanderResponse, u32, f64),
}

#[repr(C)]
pub struct Expander {
    pub struct_size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub filter: extern "C" fn(*mut c_void, *const Call, *const ExpanderRequest, *const ExpanderResponse) -> Status,
}

pub const RESULT_CLOUD_VIEW: u32 = 1;
pub const RESULT_RESIZED: u32 = 2;
pub const RESULT_REMOVED: u32 = 3;
pub const RESULT_TEMPLATE: u32 = 4;

#[repr(C)]
pub struct Host {
    pub struct_size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub product: Str,
    pub version: Str,
    pub instance_id: Str,
    pub ctx: *mut c_void,
    pub service: extern "C" fn(*const Host, *const c_char) -> *const c_void,
}

/// The functions of `capstan.ops/1` that are used here; the table is longer.
#[repr(C)]
pub struct Ops {
    pub struct_size: u32,
    pub reserved: u32,
    pub complete: extern "C" fn(*const Host, Op, u32, *const c_void) -> Status,
    pub fail: extern "C" fn(*const Host, Op, *const Error) -> Status,
}

/// The function of `capstan.clock/1` that is used here.
#[repr(C)]
pub struct Clock {
    pub struct_size: u32,
    pub reserved: u32,
    pub monotonic_ns: extern "C" fn(*const Host) -> i64,
}

pub const CURSOR_ROOT: u32 = 1;

#[repr(C)]
pub struct Settings {
    pub struct_size: u32,
    pub reserved: u32,
    pub ctx: *mut c_void,
    pub member: extern "C" fn(*const Settings, u32, Str) -> u32,
    pub size: extern "C" fn(*const Settings, u32) -> u32,
    pub item: extern "C" fn(*const Settings, u32, u32, *mut Str) -> u32,
    pub get_text: extern "C" fn(*const Settings, u32, *mut Str) -> Status,
    pub get_integer: extern "C" fn(*const Settings, u32, *mut i64) -> Status,
    pub get_float: extern "C" fn(*const Settings, u32, *mut f64) -> Status,
    pub get_boolean: extern "C" fn(*const Settings, u32, *mut i32) -> Status,
    pub reject: extern "C" fn(*const Settings, u32, Str) -> Status,
}

pub const TYPE_INTEGER: i32 = 2;
pub const FIELD_MIN: u32 = 32;
pub const FIELD_MAX: u32 = 64;

#[repr(C)]
pub struct Field {
    pub struct_size: u32,
    pub flags: u32,
    pub kind: i32,
    pub reserved: i32,
    pub key: Str,
    pub doc: Str,
    pub default_value: Str,
    pub allowed: Array,
    pub min: f64,
    pub max: f64,
    pub fields: Array,
    pub instance_kind: Str,
    pub replaced_by: Str,
}

/// Functions that an instance does not have are `None`.
#[repr(C)]
pub struct Instance {
    pub struct_size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub interface_of: extern "C" fn(*mut c_void, *const c_char) -> *const c_void,
    pub start: Option<extern "C" fn(*mut c_void, u64, *const c_void) -> Status>,
    pub stop: Option<extern "C" fn(*mut c_void, u64, *const c_void) -> Status>,
    pub destroy: extern "C" fn(*mut c_void),
    pub reconfigure: Option<extern "C" fn(*mut c_void, *const Settings, *const Call) -> Status>,
    pub self_check: Option<extern "C" fn(*mut c_void, u64, *const c_void) -> Status>,
}

pub const CLASS_PURE: u32 = 1;
pub const CONCURRENCY_SERIAL: i32 = 0;
pub const CONCURRENCY_PARALLEL: i32 = 1;

#[repr(C)]
pub struct Class {
    pub struct_size: u32,
    pub flags: u32,
    pub concurrency: i32,
    pub reserved: i32,
    pub class_id: Str,
    pub kind: Str,
    pub doc: Str,
    pub fields: Array,
    pub check: Option<extern "C" fn(*const Settings, *const Call) -> Status>,
    pub create: extern "C" fn(*const Host, *const Settings, *const Call, *mut *const Instance) -> Status,
}

#[repr(C)]
pub struct ClassList {
    pub struct_size: u32,
    pub reserved: u32,
    pub classes: Array,
}

pub const MAGIC: u32 = 0x3150_4143;
pub const ABI_MAJOR: u16 = 1;
/// The minor version that this mirror was written for, and the lowest that it needs.
pub const ABI_MINOR: u16 = 0;
/// The SDK release that this mirror follows, only for display.
pub const SDK_VERSION: &str = "1.0.0";

#[repr(C)]
pub struct Entry {
    pub magic: u32,
    pub struct_size: u32,
    pub abi_major: u16,
    pub abi_minor_built: u16,
    pub abi_minor_required: u16,
    pub reserved: u16,
    pub plugin_id: Str,
    pub version: Str,
    pub vendor: Str,
    pub init: Option<extern "C" fn(Str) -> Status>,
    pub deinit: Option<extern "C" fn()>,
    pub classes: extern "C" fn() -> *const ClassList,
}

#[repr(C)]
pub struct Note {
    pub namesz: u32,
    pub descsz: u32,
    pub kind: u32,
    pub name: [u8; 4],
    pub magic: u32,
    pub abi_major: u16,
    pub abi_minor_built: u16,
    pub abi_minor_required: u16,
    pub flags: u16,
    pub sdk: [u8; 16],
    pub plugin_id: [u8; 64],
    pub version: [u8; 32],
    pub kinds: [u8; 240],
}

pub const NOTE_TYPE: u32 = 1;

/// `s` followed by NULs, at least one. In a constant, a text that is too long does not compile.
pub const fn padded<const N: usize>(s: &str) -> [u8; N] {
    assert!(s.len() < N);
    let mut out = [0; N];
    let mut i = 0;
    while i < s.len() {
        out[i] = s.as_bytes()[i];
        i += 1;
    }
    out
}

/// The sizes of ABI 1.0; later ones are never smaller. Without a member of a struct this does not
/// compile.
const _: () = {
    assert!(size_of::<Error>() == 72);
    assert!(size_of::<Call>() == 72);
    assert!(size_of::<Group>() == 152);
    assert!(size_of::<Template>() == 200);
    assert!(size_of::<Machine>() == 168);
    assert!(size_of::<CloudView>() == 80);
    assert!(size_of::<RefreshRequest>() == 8);
    assert!(size_of::<DescribeRequest>() == 24);
    assert!(size_of::<Resize>() == 56);
    assert!(size_of::<Resized>() == 16);
    assert!(size_of::<Removal>() == 64);
    assert!(size_of::<Removed>() == 24);
    assert!(size_of::<Cloud>() == 48);
    assert!(size_of::<CloudTemplates>() == 24);
    assert!(size_of::<ScaleUpOption>() == 96);
    assert!(size_of::<ExpanderRequest>() == 40);
    assert!(size_of::<ExpanderResponse>() == 24);
    assert!(size_of::<Expander>() == 24);
    assert!(size_of::<Host>() == 72);
    assert!(size_of::<Settings>() == 80);
    assert!(size_of::<Field>() == 144);
    assert!(size_of::<Instance>() == 64);
    assert!(size_of::<Class>() == 96);
    assert!(size_of::<ClassList>() == 24);
    assert!(size_of::<Entry>() == 88);
    assert!(size_of::<Note>() == 380);
};

// Descriptions are constants with pointers to other constants: nothing in them ever changes.
unsafe impl Sync for Field {}
unsafe impl Sync for Class {}
unsafe impl Sync for ClassList {}
unsafe impl Sync for Entry {}
