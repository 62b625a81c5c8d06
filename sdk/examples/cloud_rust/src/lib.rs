//! A cloud in Rust without dependencies: the functions of the plugin ABI. `cloud.rs` is the cloud
//! itself.
//!
//! The ABI is plain C. A panic must not reach the host, so every function that the host calls and
//! that can panic uses `catch_unwind`. A cdylib exports only its `#[no_mangle]` items, so no
//! version script is needed.

mod abi;
mod cloud;

use abi::*;
use cloud::{Change, Config, Refusal, GROUP};
use std::ffi::{c_char, c_void, CStr};
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};

fn error(code: Status, message: &str, subject: &str) -> Error {
    Error {
        struct_size: size_of::<Error>() as u32,
        code,
        message: text(message),
        provider_code: EMPTY_TEXT,
        subject: text(subject),
        retry_after_ms: -1,
        scope: 0,
        reserved: 0,
    }
}

const EMPTY_TEXT: Str = text("");

/// One instance, made from one table of the configuration.
struct CloudInstance {
    base: Instance,
    cloud: Cloud,
    templates: CloudTemplates,
    host: *const Host,
    ops: *const Ops,
    clock: *const Clock,
    logic: cloud::Cloud,
}

impl CloudInstance {
    fn now_ns(&self) -> i64 {
        unsafe { ((*self.clock).monotonic_ns)(self.host) }
    }

    /// The host copies the result before this returns.
    fn complete<T>(&self, op: Op, kind: u32, result: &T) {
        unsafe { ((*self.ops).complete)(self.host, op, kind, std::ptr::from_ref(result).cast()) };
    }

    fn fail(&self, op: Op, (code, why): Refusal) {
        unsafe { ((*self.ops).fail)(self.host, op, &error(code, &why, "")) };
    }

    fn refresh(&self, op: Op) {
        let config = &self.logic.config;
        let group = Group {
            struct_size: size_of::<Group>() as u32,
            reserved: 0,
            present: GROUP_MIN | GROUP_MAX | GROUP_TARGET,
            id: text(GROUP),
            min: config.min as i32,
            max: config.max as i32,
            target: self.logic.target(),
            healthy: 1,
            autoprovisioned: 0,
            spot: 0,
            health_reason: EMPTY_TEXT,
            debug: EMPTY_TEXT,
            template_fingerprint: text("1"),
            tags: EMPTY,
            zones: EMPTY,
            price: std::ptr::null(),
            options: std::ptr::null(),
        };
        let now_ns = self.now_ns();
        let as_machine = |m: &cloud::Machine| Machine {
            struct_size: size_of::<Machine>() as u32,
            state: if self.logic.runs(m, now_ns) { MACHINE_RUNNING } else { MACHINE_REQUESTED },
            present: 0,
            id: text(&m.id),
            group_id: text(GROUP),
            machine_type: EMPTY_TEXT,
            zone: EMPTY_TEXT,
            launched_unix_ns: 0,
            error: std::ptr::null(),
            template_fingerprint: text("1"),
            node_name: EMPTY_TEXT,
            leaves_unix_ns: 0,
            leaves_because: 0,
            spot: 0,
            price_per_hour: 0.0,
            addresses: EMPTY,
        };
        let machines: Vec<Machine> = self.logic.machines.iter().map(as_machine).collect();
        let view = CloudView {
            struct_size: size_of::<CloudView>() as u32,
            complete: 1,
            groups: Array::of(std::slice::from_ref(&group)),
            machines: Array::of(&machines),
            unreadable: EMPTY,
            lists_all_with_prefix: EMPTY_TEXT,
            target_lag_ms: 1,
        };
        self.complete(op, RESULT_CLOUD_VIEW, &view);
    }

    fn end_resize(&self, op: Op, answer: Result<i32, Refusal>) {
        match answer {
            Ok(target) => {
                let resized = Resized {
                    struct_size: size_of::<Resized>() as u32,
                    target,
                    shortfall: std::ptr::null(),
                };
                self.complete(op, RESULT_RESIZED, &resized);
            }
            Err(refusal) => self.fail(op, refusal),
        }
    }

    fn remove(&mut self, op: Op, removal: &Removal) {
        if removal.keep_target != 0 {
            return self.fail(op, (E_UNSUPPORTED, "replacing machines is not supported".into()));
        }
        let ids: Vec<&str> =
            unsafe { removal.machine_ids.iter::<Str>().map(|id| id.as_text()).collect() };
        match self.logic.remove(&ids, removal.force != 0) {
            Ok(unknown) => {
                let failed: Vec<Error> =
                    unknown.iter().map(|id| error(E_NOT_FOUND, "no such machine", id)).collect();
                let removed = Removed {
                    struct_size: size_of::<Removed>() as u32,
                    reserved: 0,
                    failed: Array::of(&failed),
                };
                self.complete(op, RESULT_REMOVED, &removed);
            }
            Err(refusal) => self.fail(op, refusal),
        }
    }

    fn describe(&self, op: Op, group: &str) {
        if group != GROUP {
            return self.fail(op, (E_NOT_FOUND, format!("unknown group {group:?}")));
        }
        let config = &self.logic.config;
        let amount = |resource: &'static str, amount| Quantity { resource: text(resource), amount };
        let amounts = [
            amount("cpu", config.cores * 1000),
            amount("memory", config.memory_gib << 30),
            amount("pods", 110),
        ];
        let node = Template {
            struct_size: size_of::<Template>() as u32,
            variants: 1,
            name: text(GROUP),
            machine_type: EMPTY_TEXT,
            zone: EMPTY_TEXT,
            arch: EMPTY_TEXT,
            os: EMPTY_TEXT,
            labels: EMPTY,
            annotations: EMPTY,
            taints: EMPTY,
            capacity: Array::of(&amounts),
            allocatable: Array::of(&amounts),
            free: Array::of(&amounts),
            fingerprint: text("1"),
        };
        self.complete(op, RESULT_TEMPLATE, &node);
    }
}

/// Runs `body` on the instance; a panic becomes the error of the operation. All calls of an
/// instance run on one strand.
fn fenced(this: *mut c_void, body: impl FnOnce(&mut CloudInstance)) -> Status {
    let instance = unsafe { &mut *this.cast::<CloudInstance>() };
    match catch_unwind(AssertUnwindSafe(|| body(instance))) {
        Ok(()) => OK,
        Err(_) => E_INTERNAL,
    }
}

fn change_of<'a>(resize: &Resize) -> Change<'a> {
    unsafe {
        Change {
            group: resize.group_id.as_text(),
            delta: resize.delta,
            expected_target: resize.expected_target,
            key: resize.idempotency_key.as_text(),
        }
    }
}

extern "C" fn refresh(this: *mut c_void, op: Op, _request: *const RefreshRequest) -> Status {
    fenced(this, |instance| instance.refresh(op))
}
extern "C" fn increase(this: *mut c_void, op: Op, resize: *const Resize) -> Status {
    fenced(this, |instance| {
        let now_ns = instance.now_ns();
        let answer = instance.logic.increase(&change_of(unsafe { &*resize }), now_ns);
        instance.end_resize(op, answer);
    })
}
extern "C" fn decrease_target(this: *mut c_void, op: Op, resize: *const Resize) -> Status {
    fenced(this, |instance| {
        let now_ns = instance.now_ns();
        let answer = instance.logic.decrease_target(&change_of(unsafe { &*resize }), now_ns);
        instance.end_resize(op, answer);
    })
}
extern "C" fn remove(this: *mut c_void, op: Op, removal: *const Removal) -> Status {
    fenced(this, |instance| instance.remove(op, unsafe { &*removal }))
}
extern "C" fn describe(this: *mut c_void, op: Op, request: *const DescribeRequest) -> Status {
    fenced(this, |instance| instance.describe(op, unsafe { (*request).group_id.as_text() }))
}

extern "C" fn interface_of(this: *mut c_void, id: *const c_char) -> *const c_void {
    let instance = this.cast::<CloudInstance>();
    match unsafe { CStr::from_ptr(id) }.to_str() {
        Ok(KIND_CLOUD) => unsafe { std::ptr::addr_of!((*instance).cloud).cast() },
        Ok(INTERFACE_TEMPLATES) => unsafe { std::ptr::addr_of!((*instance).templates).cast() },
        _ => std::ptr::null(),
    }
}

extern "C" fn destroy(this: *mut c_void) {
    drop(unsafe { Box::from_raw(this.cast::<CloudInstance>()) });
}

/// The schema has a default for each setting, so the values are always there.
fn read_config(settings: *const Settings) -> Result<Config, Status> {
    let number = |key: &str| {
        let mut value = 0;
        let at = unsafe { ((*settings).member)(settings, CURSOR_ROOT, text(key)) };
        match unsafe { ((*settings).get_integer)(settings, at, &mut value) } {
            OK => Ok(value),
            status => Err(status),
        }
    };
    let config = Config {
        min: number("min")?,
        max: number("max")?,
        cores: number("cores")?,
        memory_gib: number("memory_gib")?,
        boot_ns: number("boot_seconds")? * 1_000_000_000,
    };
    if config.min <= config.max { Ok(config) } else { Err(E_INVALID_CONFIG) }
}

fn make(host: *const Host, settings: *const Settings) -> Result<*const Instance, Status> {
    let ops: *const Ops = unsafe { ((*host).service)(host, SERVICE_OPS.as_ptr()) }.cast();
    let clock: *const Clock = unsafe { ((*host).service)(host, SERVICE_CLOCK.as_ptr()) }.cast();
    if ops.is_null() || clock.is_null() {
        return Err(E_UNSUPPORTED);
    }
    let config = read_config(settings)?;
    let now_ns = unsafe { ((*clock).monotonic_ns)(host) };
    let instance = Box::into_raw(Box::new(CloudInstance {
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
        cloud: Cloud {
            struct_size: size_of::<Cloud>() as u32,
            reserved: 0,
            this: std::ptr::null_mut(),
            refresh,
            increase,
            decrease_target,
            remove,
        },
        templates: CloudTemplates {
            struct_size: size_of::<CloudTemplates>() as u32,
            reserved: 0,
            this: std::ptr::null_mut(),
            describe,
        },
        host,
        ops,
        clock,
        logic: cloud::Cloud::new(config, now_ns),
    }));
    unsafe {
        (*instance).base.this = instance.cast();
        (*instance).cloud.this = instance.cast();
        (*instance).templates.this = instance.cast();
        Ok(std::ptr::addr_of!((*instance).base))
    }
}

extern "C" fn create(
    host: *const Host,
    settings: *const Settings,
    _call: *const Call,
    out: *mut *const Instance,
) -> Status {
    match catch_unwind(AssertUnwindSafe(|| make(host, settings))) {
        Ok(Ok(instance)) => {
            unsafe { *out = instance };
            OK
        }
        Ok(Err(status)) => status,
        Err(_) => E_INTERNAL,
    }
}

const fn count(key: &'static str, doc: &'static str, otherwise: &'static str, min: f64, max: f64) -> Field {
    Field {
        struct_size: size_of::<Field>() as u32,
        flags: FIELD_MIN | FIELD_MAX,
        kind: TYPE_INTEGER,
        reserved: 0,
        key: text(key),
        doc: text(doc),
        default_value: text(otherwise),
        allowed: EMPTY,
        min,
        max,
        fields: EMPTY,
        instance_kind: EMPTY_TEXT,
        replaced_by: EMPTY_TEXT,
    }
}

static FIELDS: [Field; 5] = [
    count("min", "Minimum size of the group.", "1", 0.0, 1e5),
    count("max", "Maximum size of the group.", "10", 0.0, 1e5),
    count("cores", "Cores of a machine.", "4", 1.0, 1e3),
    count("memory_gib", "Memory of a machine, in GiB.", "16", 1.0, 1e5),
    count("boot_seconds", "Seconds until a requested machine runs.", "30", 0.0, 3600.0),
];

static CLASSES: [Class; 1] = [Class {
    struct_size: size_of::<Class>() as u32,
    flags: 0,
    concurrency: CONCURRENCY_SERIAL,
    reserved: 0,
    class_id: text("new_rust_cloud"),
    kind: text(KIND_CLOUD),
    doc: text("A cloud whose machines exist only in memory."),
    fields: Array {
        data: &FIELDS as *const _ as *const c_void,
        count: FIELDS.len() as u32,
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

/// A plugin must not write to standard error, so the hook that prints panics is disabled.
extern "C" fn init(_file: Str) -> Status {
    std::panic::set_hook(Box::new(|_| {}));
    OK
}

const PLUGIN_ID: &str = "example.new_rust_cloud";
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
    kinds: padded(KIND_CLOUD),
};
