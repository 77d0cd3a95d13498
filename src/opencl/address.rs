//! Reads the address that a driver reports for a device, and checks whether the card with this address has a display.

use std::path::Path;

use super::files::hexadecimal;
use super::query::DeviceId;

/// `CL_DEVICE_UUID_KHR` of `cl_khr_device_uuid`: 16 bytes.
const UUID: u32 = 0x106A;
/// `CL_DEVICE_PCI_BUS_INFO_KHR` of `cl_khr_pci_bus_info`: domain, bus, device, function.
const PCI_BUS_INFO: u32 = 0x410F;
/// `CL_DEVICE_PCI_BUS_ID_NV`, `…_SLOT_ID_NV`, `…_DOMAIN_ID_NV`: older NVIDIA drivers have only these.
const PCI_NV: [u32; 3] = [0x4008, 0x4009, 0x400A];
/// `CL_DEVICE_TOPOLOGY_AMD`: its last three bytes are bus, device and function.
const TOPOLOGY_AMD: u32 = 0x4037;

pub(super) fn address(device: &DeviceId) -> String {
    let uuid = device.bytes(UUID).ok().filter(|bytes| bytes.len() == 16);
    let uuid = uuid.filter(|bytes| bytes.iter().any(|byte| *byte != 0));
    let uuid = uuid.map(|bytes| format!("uuid {}", hexadecimal(&bytes)));
    let parts = [uuid, pci(&|what| device.bytes(what).unwrap_or_default())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

pub(super) fn part_of<'a>(address: &'a str, kind: &str) -> Option<&'a str> {
    let mut words = address.split(' ');
    words.find(|word| *word == kind).and_then(|_| words.next())
}

/// Returns the PCI address, such as `pci 0000:17:00.0`, from any extension that the driver supports.
fn pci(bytes: &dyn Fn(u32) -> Vec<u8>) -> Option<String> {
    let words = |what: u32| -> Vec<u32> {
        let bytes = bytes(what);
        bytes
            .as_chunks()
            .0
            .iter()
            .copied()
            .map(u32::from_ne_bytes)
            .collect()
    };
    let show = |domain: u32, bus: u32, device: u32, function: u32| {
        format!("pci {domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    };
    if let &[domain, bus, device, function] = words(PCI_BUS_INFO).as_slice() {
        return Some(show(domain, bus, device, function));
    }
    if let [&[bus], &[slot]] = [PCI_NV[0], PCI_NV[1]]
        .map(words)
        .each_ref()
        .map(Vec::as_slice)
    {
        let domain = words(PCI_NV[2]).first().copied().unwrap_or(0);
        return Some(show(domain, bus, slot >> 3, slot & 7));
    }
    match bytes(TOPOLOGY_AMD).as_slice() {
        [.., bus, device, function] => {
            Some(show(0, (*bus).into(), (*device).into(), (*function).into()))
        }
        _ => None,
    }
}

/// True if a connector of the card at `address` has a display. `drm` has files such as `card0-HDMI-A-1/status`.
pub(super) fn has_connected_display(drm: &Path, address: &str) -> bool {
    let Some(pci) = part_of(address, "pci") else {
        return false;
    };
    let connectors = std::fs::read_dir(drm).into_iter().flatten().flatten();
    connectors.map(|entry| entry.path()).any(|connector| {
        let is_connected = std::fs::read_to_string(connector.join("status"))
            .is_ok_and(|status| status.trim() == "connected");
        // A connector's `device` link points to its card, and the card's `device` link points to its bus address.
        is_connected
            && std::fs::canonicalize(connector.join("device/device"))
                .is_ok_and(|place| place.file_name().is_some_and(|name| name == pci))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pci_address_is_read_from_each_extension() {
        let packed = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let khronos = |what| match what {
            PCI_BUS_INFO => packed(&[1, 0x17, 2, 3]),
            _ => Vec::new(),
        };
        assert_eq!(pci(&khronos).as_deref(), Some("pci 0001:17:02.3"));
        let nvidia = |what| match what {
            0x4008 => packed(&[0xb3]),
            0x4009 => packed(&[2 << 3 | 1]),
            _ => Vec::new(),
        };
        assert_eq!(pci(&nvidia).as_deref(), Some("pci 0000:b3:02.1"));
        let amd = |what| match what {
            TOPOLOGY_AMD => [vec![0; 21], vec![0x0a, 0, 0]].concat(),
            _ => Vec::new(),
        };
        assert_eq!(pci(&amd).as_deref(), Some("pci 0000:0a:00.0"));
        assert_eq!(pci(&|_| Vec::new()), None);
    }

    #[cfg(unix)]
    #[test]
    fn finds_the_display_of_a_card_by_its_bus_address() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (drm, bus) = (folder.path().join("drm"), folder.path().join("bus"));
        for (card, pci, status) in [
            ("card0", "0000:17:00.0", "connected"),
            ("card1", "0000:65:00.0", "disconnected"),
        ] {
            let connector = drm.join(format!("{card}-DP-1"));
            let of_card = bus.join(format!("{pci}/drm/{card}"));
            for made in [&connector, &of_card] {
                std::fs::create_dir_all(made).unwrap();
            }
            std::fs::write(connector.join("status"), format!("{status}\n")).unwrap();
            symlink(bus.join(pci), of_card.join("device")).unwrap();
            symlink(&of_card, connector.join("device")).unwrap();
        }
        let has = |address| has_connected_display(&drm, address);
        assert!(has("uuid 00ff pci 0000:17:00.0"));
        assert!(!has("pci 0000:65:00.0"), "no display is connected");
        assert!(!has("pci 0000:99:00.0"), "no such card");
        assert!(!has("device 0"), "the driver gives no address");
        assert!(!has_connected_display(
            &drm.join("none"),
            "pci 0000:17:00.0"
        ));
    }
}
