//! Chooses the sizes of work-groups.

use super::info::DeviceInfo;
use crate::words::Fault;

/// The requested size of a kernel's work-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkGroup {
    /// At most this many work-items, halved until device, local memory and compiled kernel allow the number.
    UpTo(usize),
    /// Exactly this many work-items.
    Exactly(usize),
}

impl WorkGroup {
    /// Requests exactly `items` work-items if given, otherwise up to `auto`.
    pub fn given(items: Option<usize>, auto: usize) -> WorkGroup {
        items.map_or(WorkGroup::UpTo(auto), WorkGroup::Exactly)
    }

    /// Returns the size, halved to fit the device. Fails with [`Fault::Unsupported`] if an exact size is too large.
    pub fn on(self, info: &DeviceInfo) -> Result<usize, Fault> {
        let most = info.max_work_group.max(1);
        match self {
            WorkGroup::Exactly(items) if items > most => Err(too_large(items, "device", most)),
            WorkGroup::Exactly(items) => Ok(items),
            WorkGroup::UpTo(mut items) => {
                while items > most {
                    items /= 2;
                }
                Ok(items.max(1))
            }
        }
    }

    /// Builds a kernel for smaller and smaller work-groups until it fits. Returns the last result and the size of its
    /// work-groups. `build` gets this size and returns a result and the kernel's limit. Fails with
    /// [`Fault::Unsupported`] if no size fits.
    pub fn fit<T>(
        self,
        info: &DeviceInfo,
        mut build: impl FnMut(usize) -> Result<(T, usize), Fault>,
    ) -> Result<(T, usize), Fault> {
        let mut items = self.on(info)?;
        loop {
            let (built, most) = build(items)?;
            if items <= most {
                return Ok((built, items));
            }
            if items == 1 || matches!(self, WorkGroup::Exactly(_)) {
                return Err(too_large(items, "compiled kernel", most));
            }
            items = (items / 2).min(most.max(1));
        }
    }
}

pub(super) fn too_large(items: usize, whose: &str, most: usize) -> Fault {
    Fault::Unsupported(format!(
        "group: {items} work-items; the {whose} takes at most {most}"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::info::example;
    use super::*;

    fn device(most: usize) -> DeviceInfo {
        DeviceInfo {
            max_work_group: most,
            ..example(0, 0, "gpu")
        }
    }

    fn tried(group: WorkGroup, kernel: usize) -> (Vec<usize>, Result<usize, Fault>) {
        let mut sizes = Vec::new();
        let fitted = group.fit(&device(256), |items| {
            sizes.push(items);
            Ok(((), kernel))
        });
        (sizes, fitted.map(|(_, items)| items))
    }

    #[test]
    fn a_group_is_halved_until_it_fits() {
        assert_eq!(tried(WorkGroup::UpTo(64), 256), (vec![64], Ok(64)));
        assert_eq!(tried(WorkGroup::UpTo(1000), 256), (vec![250], Ok(250)));
        assert_eq!(tried(WorkGroup::UpTo(64), 40), (vec![64, 32], Ok(32)));
        assert_eq!(tried(WorkGroup::UpTo(64), 5), (vec![64, 5], Ok(5)));
        assert_eq!(tried(WorkGroup::UpTo(0), 5), (vec![1], Ok(1)));
    }

    #[test]
    fn a_size_that_was_asked_for_is_had_or_refused() {
        let refused =
            |whose, most| Fault::Unsupported(format!("group: {whose} takes at most {most}"));
        assert_eq!(tried(WorkGroup::Exactly(64), 64), (vec![64], Ok(64)));
        assert_eq!(
            tried(WorkGroup::Exactly(64), 32),
            (
                vec![64],
                Err(refused("64 work-items; the compiled kernel", 32))
            )
        );
        let expected = (vec![], Err(refused("257 work-items; the device", 256)));
        assert_eq!(tried(WorkGroup::Exactly(257), 999), expected);
        let expected = Err(refused("1 work-items; the compiled kernel", 0));
        assert_eq!(tried(WorkGroup::UpTo(2), 0).1, expected);
    }
}
