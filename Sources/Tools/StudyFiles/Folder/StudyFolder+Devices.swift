import Audit
import Consumer
import Core
import DeviceGateway
import Foundation
import StudyKeys
import Synchronization

extension StudyFolder {
    /// The folder of the templates of third-party devices.
    package var devicesURL: URL { url.appendingPathComponent("devices", isDirectory: true) }
    /// The device templates: they find readings in events.
    package var deviceContentURL: URL { devicesURL.appendingPathComponent("devicecontent.json") }
    /// The FHIR templates: they make Observations of readings.
    package var fhirMappingURL: URL { devicesURL.appendingPathComponent("fhirmapping.json") }
    /// The secret from which the keys of hubs are derived.
    package var hubSecretURL: URL { keys.url.appendingPathComponent("device-hubs.secret") }

    /// Reads the study's templates of third-party devices; nil if it has none.
    ///
    /// - Throws: ``ServerError`` `study-invalid` for a file that is not JSON; ``DeviceGateway/TemplateError``.
    package func gatewayTemplates() throws -> GatewayTemplates? {
        guard let device = try json(at: deviceContentURL), let fhir = try json(at: fhirMappingURL) else { return nil }
        return try GatewayTemplates(device: device, fhir: fhir)
    }

    /// Reads the secret from which the keys of hubs are derived; nil if no key was made.
    ///
    /// - Throws: ``StudyKeys/StudyKeyError`` `key-file-open` for a file that others can read;
    ///   ``DeviceGateway/GatewayError`` `hub-secret-invalid`.
    package func hubSecret() throws -> HubSecret? {
        guard FileManager.default.fileExists(atPath: hubSecretURL.path) else { return nil }
        return try HubSecret(try keys.privateText(hubSecretURL.lastPathComponent) ?? "")
    }

    /// Makes the secret from which the keys of hubs are derived. An existing secret is kept.
    ///
    /// - Throws: the errors of ``hubSecret()``; `file-unwritable`.
    package func makeHubSecret() throws -> HubSecret {
        if let present = try hubSecret() { return present }
        let text = HubSecret.text(random: SystemRandom.bytes(HubSecret.length))
        try PrivateFile.write(Data(text.utf8), to: hubSecretURL, permissions: 0o600)
        return try HubSecret(text)
    }
}

/// The secret of hubs, read again after a change of its file: a key may be made while the study is served.
package final class HubSecretFile: Sendable {
    private let folder: StudyFolder
    private let known = Mutex<(modified: Date, secret: HubSecret)?>(nil)

    package init(_ folder: StudyFolder) { self.folder = folder }

    /// Returns the secret; nil if there is none.
    package func value() -> HubSecret? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.hubSecretURL.path)
        guard let modified = attributes?[.modificationDate] as? Date else { return nil }
        return known.withLock { known in
            if let known, known.modified == modified { return known.secret }
            guard let secret = try? folder.hubSecret() else { return nil }
            known = (modified, secret)
            return secret
        }
    }
}
