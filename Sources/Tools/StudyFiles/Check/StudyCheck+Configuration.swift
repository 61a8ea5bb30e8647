import Core
import FHIR
import Foundation
import Storage

extension StudyCheck {
    /// Reads study.json, and reports unknown members.
    func configurationFindings() -> (StudyConfiguration?, [StudyFinding]) {
        let file = "study.json"
        let configuration: StudyConfiguration
        do {
            configuration = try folder.configuration()
        } catch {
            let error = error as? any CodedError
            return (
                nil,
                [
                    StudyFinding(
                        .error, code: error?.code ?? "study-invalid", file: file,
                        message: error?.message ?? "It cannot be read.")
                ]
            )
        }
        guard let data = try? FileAccess.contents(of: folder.configurationURL), let json = try? JSON(data)
        else { return (configuration, []) }
        var findings = Self.unknown(in: json, known: StudyConfiguration.knownMembers, prefix: "")
        if let limits = json["limits"] {
            findings += Self.unknown(in: limits, known: StudyConfiguration.knownLimits, prefix: "limits.")
        }
        if let accounts = json["accounts"] {
            findings += Self.unknown(in: accounts, known: AccountsConfiguration.knownMembers, prefix: "accounts.")
        }
        if let c3pro = json["c3pro"] {
            findings += Self.unknown(in: c3pro, known: ["contractsWithoutTerms"], prefix: "c3pro.")
        }
        if let fhirBlocks = json["fhirBlocks"] {
            findings += Self.unknown(in: fhirBlocks, known: ["legacy"], prefix: "fhirBlocks.")
        }
        if configuration.development {
            findings.append(
                StudyFinding(
                    .warning, code: "development", file: file, path: "development",
                    message: "Receipts that anyone makes with this folder are accepted. Never use it for real data."))
        }
        return (configuration, findings)
    }

    private static func unknown(in json: JSON, known: Set<String>, prefix: String) -> [StudyFinding] {
        (json.object?.members ?? []).filter { !known.contains($0.key) }.map { member in
            StudyFinding(
                .error, code: "member-unknown", file: "study.json", path: prefix + member.key,
                message: "This name is unknown; check the spelling.")
        }
    }
}
