//! An expander in Rust without dependencies: keeps the options whose group has the most room left
//! after the scale-up.
//!
//! The ABI is plain C. A panic must not reach the host, so every function that the host calls and
//! that can panic uses `catch_unwind`. A cdylib exports only its `#[no_mangle]` items, so no
//! version script is needed.

mod abi;

use abi::*;
use std::ffi::{c_char, c_void, CStr};
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// The decision.
struct Room {
    /// Room for more nodes makes no difference: large groups tie, and the next expander decides.
    enough: i64,
}

impl Room {
    /// How many nodes a group can still get after `nodes` more, at most `enough`. A group without a
    /// maximum has room for `enough`.
    fn after(&self, max: Option<i32>, target: Option<i32>, nodes: i32) -> i64 {
        match max {
            Some(max) => {
                (i64::from(max) - i64::from(target.unwrap_or(0)) - i64::from(nodes)).clamp(0, self.enough)
            }
            None => self.enough,
        }
    }

    fn after_option(&self, option: &ScaleUpOption) -> i64 {
        // The ABI guarantees that it is not NULL.
        let group = unsafe { &*option.group };
        let number = |bit: u64, value: i32| (group.present & bit != 0).then_some(value);
        self.after(
            number(GROUP_MAX, group.max),
            number(GROUP_TARGET, group.target),
            option.nodes,
        )
    }

    fn filter(&self, call: &Call, request: &ExpanderRequest, out: &ExpanderResponse) {
        let rooms: Vec<i64> = unsafe { request.options.iter::<ScaleUpOption>() }
            .map(|o| self.after_option(o))
            .collect();
        let most = rooms.iter().copied().max().unwrap_or(0);
        let mut kept = 0;
        for (i, _) in rooms.iter().enumerate().filter(|(_, room)| **room == most) {
            (out.keep)(out, i as u32, most as f64);
            kept += 1;
        }
        let sentence = format!("keeps {kept} of {}: room for {most} more afterwards", rooms.len());
        (call.explain)(call, text(&sentence));
    }
}

/// Runs `body`; a panic becomes the call's error.
fn fenced(call: *const Call, body: impl FnOnce() -> Status) -> Status {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("panic");
        let error = Error {
            struct_size: size_of::<Error>() as u32,
            code: E_INTERNAL,
            message: text(what),
            provider_code: text(""),
            subject: text(""),
            retry_after_ms: -1,
            scope: 0,
            reserved: 0,
        };
        unsafe { ((*call).fail)(call, &error) }
    })
}

/// One instance, made from one table of the configuration.
struct RoomInstance {
    base: Instance,
    expander: Expander,
    logic: Room,
}

extern "C" fn filter(
    this: *mut c_void,
    call: *const Call,
    request: *const ExpanderRequest,
    out: *const ExpanderResponse,
) -> Status {
    fenced(call, || {
        let logic = unsafe { &*this.cast::<Room>() };
        unsafe { logic.filter(&*call, &*request, &*out) };
        OK
    })
}

extern "C" fn interface_of(this: *mut c_void, id: *const c_char) -> *const c_void {
    let is_expander = unsafe { CStr::from_ptr(id) }.to_bytes() == KIND_EXPANDER.as_bytes();
    if is_expander {
        unsafe { std::ptr::addr_of!((*this.cast::<RoomInstance>()).expander).cast() }
    } else {
        std::ptr::null()
    }
}

extern "C" fn destroy(this: *mut c_void) {
    drop(unsafe { Box::from_raw(this.cast::<RoomInstance>()) });
}

extern "C" fn create(
    _host: *const Host,
    settings: *const Settings,
    call: *const Call,
    out: *mut *const Instance,
) -> Status {
    fenced(call, || {
        let mut enough = 0;
        let at = unsafe { ((*settings).member)(settings, CURSOR_ROOT, text("enough")) };
        let status = unsafe { ((*settings).get_integer)(settings, at, &mut enough) };
        if status != OK {
            return status;
        }
        let instance = Box::into_raw(Box::new(RoomInstance {
            base: Instance {
                struct_size: size_of::<Instance>() as u32,
                reserved: 0,
                this: std::ptr::null_mut(),
                interface_of,
                start: None,
                stop: None,
                destroy,
                reconfigure: None,
                self_check: None,
            },
            expander: Expander {
                struct_size: size_of::<Expander>() as u32,
                reserved: 0,
                this: std::ptr::null_mut(),
                filter,
            },
            logic: Room { enough },
        }));
        unsafe {
            (*instance).base.this = instance.cast();
            (*instance).expander.this = std::ptr::addr_of_mut!((*instance).logic).cast();
            *out = std::ptr::addr_of!((*instance).base);
        }
        OK
    })
}

static FIELDS: [Field; 1] = [Field {
    struct_size: size_of::<Field>() as u32,
    flags: FIELD_MIN | FIELD_MAX,
    kind: TYPE_INTEGER,
    reserved: 0,
    key: text("enough"),
    doc: text("Room for this many nodes or more counts as equal."),
    default_value: text("10"),
    allowed: EMPTY,
    min: 1.0,
    max: 1e6,
    fields: EMPTY,
    instance_kind: text(""),
    replaced_by: text(""),
}];

static CLASSES: [Class; 1] = [Class {
    struct_size: size_of::<Class>() as u32,
    flags: CLASS_PURE,
    concurrency: CONCURRENCY_PARALLEL,
    reserved: 0,
    class_id: text("rust_expander"),
    kind: text(KIND_EXPANDER),
    doc: text("Keeps the options whose group has the most room left."),
    fields: Array {
        data: &FIELDS as *const _ as *const c_void,
        count: 1,
        stride: size_of::<Field>() as u32,
    },
    check: None,
    create,
}];

static CLASS_LIST: ClassList = ClassList {
    struct_size: size_of::<ClassList>() as u32,
    reserved: 0,
    classes: Array {
        data: &CLASSES as *const _ as *const c_void,
        count: 1,
        stride: size_of::<Class>() as u32,
    },
};

extern "C" fn classes() -> *const ClassList {
    &CLASS_LIST
}

/// A plugin must not write to standard error, so the hook that prints panics is disabled; `fenced`
/// reports a panic to the host.
extern "C" fn init(_file: Str) -> Status {
    std::panic::set_hook(Box::new(|_| {}));
    OK
}

const PLUGIN_ID: &str = "example.rust_expander";
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static capstan_entry_1: Entry = Entry {
    magic: MAGIC,
    struct_size: size_of::<Entry>() as u32,
    abi_major: ABI_MAJOR,
    abi_minor_built: ABI_MINOR,
    abi_minor_required: ABI_MINOR,
    reserved: 0,
    plugin_id: text(PLUGIN_ID),
    version: text(VERSION),
    vendor: text("Example"),
    init: Some(init),
    deinit: None,
    classes,
};

/// Repeats the entry for programs that read the file without loading it.
#[used]
#[link_section = ".note.capstan"]
static NOTE: Note = Note {
    namesz: 4,
    descsz: size_of::<Note>() as u32 - 16,
    kind: NOTE_TYPE,
    name: *b"CAP\0",
    magic: MAGIC,
    abi_major: ABI_MAJOR,
    abi_minor_built: ABI_MINOR,
    abi_minor_required: ABI_MINOR,
    flags: 0,
    sdk: padded(SDK_VERSION),
    plugin_id: padded(PLUGIN_ID),
    version: padded(VERSION),
    kinds: padded(KIND_EXPANDER),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_what_is_left_after_growing() {
        let room = Room { enough: 10 };
        assert_eq!(room.after(Some(8), Some(3), 2), 3);
        assert_eq!(room.after(Some(100), Some(3), 2), 10);
        assert_eq!(room.after(Some(1), Some(3), 2), 0);
        assert_eq!(room.after(None, Some(3), 2), 10);
        assert_eq!(room.after(Some(5), None, 1), 4);
    }

    #[test]
    fn extreme_sizes_do_not_overflow() {
        let room = Room { enough: 10 };
        assert_eq!(room.after(Some(i32::MIN), Some(i32::MAX), i32::MAX), 0);
        assert_eq!(room.after(Some(i32::MAX), Some(i32::MIN), i32::MIN), 10);
    }

    #[test]
    fn a_panic_becomes_the_calls_error() {
        extern "C" fn cancelled(_: *const Call) -> i32 {
            0
        }
        extern "C" fn explain(_: *const Call, _: Str) {}
        extern "C" fn fail(call: *const Call, error: *const Error) -> Status {
            let (message, seen) = unsafe { ((*error).message, &mut *(*call).ctx.cast::<String>()) };
            let bytes = unsafe { std::slice::from_raw_parts(message.ptr, message.len) };
            *seen = String::from_utf8_lossy(bytes).into_owned();
            unsafe { (*error).code }
        }
        let mut seen = String::new();
        let call = Call {
            struct_size: size_of::<Call>() as u32,
            flags: 0,
            trace_id: 0,
            seed: 0,
            now_unix_ns: 0,
            deadline_ns: 0,
            ctx: std::ptr::addr_of_mut!(seen).cast(),
            cancelled,
            fail,
            explain,
        };
        assert_eq!(fenced(&call, || panic!("out of {}", "luck")), E_INTERNAL);
        assert_eq!(seen, "out of luck");
    }
}
