//! What a simulator's log says of kernels: Oclgrind's, a paragraph a finding.

/// A finding that is none, with the proof.
struct Suppression {
    technique: &'static str,
    kernels: &'static [&'static str],
    /// What the message has in it.
    message: &'static str,
    reason: &'static str,
}

/// Findings that are not counted, as few as can be.
static SUPPRESSED: &[Suppression] = &[Suppression {
    technique: "frames",
    kernels: &["turn", "count"],
    message: "ninitialized",
    reason: "Oclgrind 21.10 does not follow what is written into images: what read_image gives \
             counts as uninitialised by chance, for its Uninitialized.cpp reads the shadow of an \
             image's pointer, 8 bytes, as that of its whole description. The same pixels in \
             buffers (frames-buffer) have no findings",
}];

/// One finding of a simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The message without addresses: `Read-write data race at local memory address`.
    pub message: String,
    /// The kernel; empty where the log does not name one.
    pub kernel: String,
    /// Where in the source; empty where the log does not say.
    pub place: String,
}

impl Finding {
    /// Why it does not count, where that was proved for this technique's kernel.
    pub fn suppressed(&self, technique: &str) -> Option<&'static str> {
        let of_it = SUPPRESSED.iter().find(|row| {
            row.technique == technique
                && row.kernels.contains(&self.kernel.as_str())
                && self.message.contains(row.message)
        });
        of_it.map(|row| row.reason)
    }
}

/// The findings of a log. A line that is not indented begins one; what belongs to it is indented.
pub fn read(log: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for line in log.lines() {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        if !line.starts_with(char::is_whitespace) {
            let message = text.split(" 0x").next().unwrap_or(text);
            findings.push(Finding {
                message: message.to_owned(),
                kernel: String::new(),
                place: String::new(),
            });
        } else if let Some(finding) = findings.last_mut() {
            if let Some(kernel) = text.strip_prefix("Kernel: ") {
                kernel.clone_into(&mut finding.kernel);
            } else if let Some(place) = text.strip_prefix("At ")
                && finding.place.is_empty()
            {
                place.trim_end_matches(':').clone_into(&mut finding.place);
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\n\
        Read-write data race at local memory address 0x1000000000001\n\
        \tKernel: fused\n\
        \t\n\
        \tFirst entity:  Global(2,0,0) Local(2,0,0) Group(0,0,0)\n\
        \t  %101 = load i8, i8 addrspace(3)* %arrayidx189, align 1, !dbg !364\n\
        \tAt line 129 (column 43) of annexation/fused.cl:\n\
        \t  \n\
        \tSecond entity: Global(1,0,0) Local(1,0,0) Group(0,0,0)\n\
        \tAt line 119 (column 66) of annexation/fused.cl:\n\
        \n\
        Controlflow depends on uninitialized value\n\
        \tKernel: turn\n\
        \tAt line 55 (column 13) of annexation/frames.cl:\n\
        \n\
        OCLGRIND FATAL ERROR (Memory.cpp:3)\n";

    #[test]
    fn a_log_is_read_paragraph_by_paragraph() {
        let findings = read(LOG);
        let seen: Vec<_> = findings
            .iter()
            .map(|it| (it.message.as_str(), it.kernel.as_str(), it.place.as_str()))
            .collect();
        assert_eq!(
            seen,
            [
                (
                    "Read-write data race at local memory address",
                    "fused",
                    "line 129 (column 43) of annexation/fused.cl"
                ),
                (
                    "Controlflow depends on uninitialized value",
                    "turn",
                    "line 55 (column 13) of annexation/frames.cl"
                ),
                ("OCLGRIND FATAL ERROR (Memory.cpp:3)", "", ""),
            ]
        );
        assert!(read("\n\n").is_empty());
    }

    #[test]
    fn only_what_was_proved_is_suppressed() {
        let findings = read(LOG);
        let turn = &findings[1];
        assert!(turn.suppressed("frames").is_some());
        assert!(turn.suppressed("frames-buffer").is_none());
        let others = [&findings[0], &findings[2]];
        assert!(others.iter().all(|it| it.suppressed("frames").is_none()));
        let race = Finding {
            message: findings[0].message.clone(),
            ..turn.clone()
        };
        assert!(race.suppressed("frames").is_none());
        let other_kernel = Finding {
            kernel: "begin".to_owned(),
            ..turn.clone()
        };
        assert!(other_kernel.suppressed("frames").is_none());
    }
}
