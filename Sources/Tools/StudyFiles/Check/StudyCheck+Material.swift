import Core
import FHIR
import FHIRValidation
import Foundation
import HealthTypes
import Receiver
import Wire

extension StudyCheck {
    /// Returns findings about the profiles that resources may refer to.
    func profileFindings() -> [StudyFinding] {
        let (files, findings) = files(in: folder.profilesURL, ofTypes: ["StructureDefinition"])
        return findings
            + files.compactMap { file in
                FHIRValidator.reasonProfileIsUnreadable(file.resource.object).map {
                    StudyFinding(.error, code: "profile-unreadable", file: file.name, message: $0)
                }
            }
    }

    /// Returns findings about the study's own types of health data.
    func healthTypeFindings() -> [StudyFinding] {
        let file = folder.healthTypesURL.lastPathComponent
        return findings(of: file, orElse: "health-types-invalid") {
            guard let supplement = try folder.healthTypes() else { return nil }
            _ = try HealthTypeTable.standard.applying(supplement: supplement)
            let names = supplement["types"]?.array?.compactMap { $0["identifier"]?.string }.sorted() ?? []
            return StudyFinding(
                .information, code: "health-types", file: file, path: "types",
                message: "Types that the study adds or changes: \(names.joined(separator: ", ")).")
        }
    }

    /// Returns findings about the health data that phones follow.
    func healthSyncFindings() -> [StudyFinding] {
        let file = folder.healthSyncURL.lastPathComponent
        return findings(of: file, orElse: "health-sync-invalid") {
            let settings = try folder.healthSync()
            guard FileManager.default.fileExists(atPath: folder.healthSyncURL.path) else { return nil }
            let types = settings.types.map { "\($0.count) types" } ?? "all types that the signed Contract allows"
            return StudyFinding(
                .information, code: "health-sync", file: file,
                message: "Phones follow \(types), from \(settings.lookBackDays) days before they begin; of "
                    + "\(settings.expectHours.count) types something is expected.")
        }
    }

    /// Returns findings about the templates of third-party devices: both files or neither.
    func deviceTemplateFindings() -> [StudyFinding] {
        let files = [folder.deviceContentURL, folder.fhirMappingURL]
        let present = files.filter { FileManager.default.fileExists(atPath: $0.path) }
        guard !present.isEmpty else { return [] }
        let name = folder.devicesURL.lastPathComponent + "/"
        guard present.count == files.count else {
            return [
                StudyFinding(
                    .error, code: "device-templates-missing", file: name,
                    message: "devicecontent.json and fhirmapping.json are both required; until then events wait.")
            ]
        }
        return findings(of: name, orElse: "device-templates-invalid") {
            _ = try folder.gatewayTemplates()
            return StudyFinding(
                .information, code: "device-templates", file: name,
                message: "Templates of third-party devices are present.")
        }
    }

    /// Returns the finding about a file, or its error.
    private func findings(
        of file: String, orElse code: String, _ read: () throws -> StudyFinding?
    ) -> [StudyFinding] {
        do {
            return try [read()].compactMap { $0 }
        } catch {
            let error = error as? any CodedError
            return [
                StudyFinding(
                    .error, code: error?.code ?? code, file: file, message: error?.message ?? "It cannot be read.")
            ]
        }
    }

    /// Returns findings about the private keys, if this account may read them, and the public set that phones encrypt
    /// to.
    func keyFindings() -> [StudyFinding] {
        var findings: [StudyFinding] = []
        let set = folder.publicKeysURL.lastPathComponent
        let published = folder.publicKeySet().map { data in Result { try PublishedKeys(reading: data) } }
        switch published {
        case nil where !isReadable(folder.publicKeysURL): break
        case nil:
            findings.append(
                StudyFinding(
                    .error, code: "keys-missing", file: set, message: "It is not there; run `tributary keys generate`.")
            )
        case .failure:
            findings.append(
                StudyFinding(.error, code: "keys-unreadable", file: set, message: "It holds no set of public keys."))
        case .success: break
        }
        if let missing = missingKeys() { findings.append(missing) }
        // A receiver's account has no access to the private keys, and needs none.
        guard FileManager.default.isReadableFile(atPath: folder.keys.url.path) else { return findings }
        do {
            let own = Set(try folder.keys.entries().map(\.key.keyID))
            let known = try? published?.get()
            let foreign = (known?.own ?? []).filter { !own.contains($0.keyID) }
            if !own.isEmpty, !foreign.isEmpty {
                findings.append(
                    StudyFinding(
                        .error, code: "keys-differ", file: set,
                        message:
                            "keys/ has no private key for one of its keys: submissions sealed to it cannot be opened here."
                    ))
            }
            if let known, Set(known.others) != Set(try folder.keys.recipients()) {
                findings.append(
                    StudyFinding(
                        .error, code: "recipients-differ", file: set,
                        message:
                            "It names others than keys/recipients.jwks as those who open submissions too; run `tributary keys publish`."
                    ))
            }
        } catch {
            let error = error as? any CodedError
            findings.append(
                StudyFinding(
                    .error, code: error?.code ?? "keys-unreadable", file: "keys/",
                    message: error?.message ?? "It cannot be read."))
        }
        return findings
    }

    /// Returns findings about the roots of app receipts, and the app's antispam token.
    func receiptFindings(_ study: StudyConfiguration) -> [StudyFinding] {
        var findings: [StudyFinding] = []
        // An unreadable file is reported by ``accessFindings()``.
        guard let roots = try? folder.receiptRoots(development: study.development) else { return findings }
        if roots.isEmpty, study.enrolment.contains(.receipt) {
            findings.append(
                StudyFinding(
                    .warning, code: "receipt-roots-missing", file: "receipt-roots/",
                    message: "No app can enrol with a receipt."))
        }
        if roots.contains(where: { (try? AppReceiptRoot($0)) == nil }) {
            findings.append(
                StudyFinding(
                    .error, code: "receipt-root-unreadable", file: "receipt-roots/",
                    message: "A file in it holds no certificate."))
        }
        do {
            let hash = try folder.antispamHash()
            guard Hexadecimal.bytes(hash)?.count == 32 else {
                findings.append(
                    StudyFinding(
                        .error, code: "antispam-invalid", file: "antispam.sha256",
                        message: "It holds no SHA-256 digest."))
                return findings
            }
        } catch {
            let error = error as? any CodedError
            findings.append(
                StudyFinding(
                    .error, code: error?.code ?? "antispam-missing", file: "antispam.sha256",
                    message: error?.message ?? "The file is missing."))
        }
        return findings
    }
}
