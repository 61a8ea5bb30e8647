import Consumer
import Core
import DeviceGateway
import Foundation
import Synchronization
import Trust

extension StudyFolder {
    /// The templates of devices of others.
    public var devicesURL: URL { url.appendingPathComponent("devices", isDirectory: true) }
    /// What is in their events.
    public var deviceContentURL: URL { devicesURL.appendingPathComponent("devicecontent.json") }
    /// What becomes of it.
    public var fhirMappingURL: URL { devicesURL.appendingPathComponent("fhirmapping.json") }
    /// What the keys of hubs are made of.
    public var hubSecretURL: URL { keys.url.appendingPathComponent("device-hubs.secret") }

    /// The study's templates of devices of others; nil where it has none.
    ///
    /// - Throws: ``ServerError`` `study-invalid` for what is no JSON; ``DeviceGateway/TemplateError``.
    public func gatewayTemplates() throws -> GatewayTemplates? {
        guard let device = try json(at: deviceContentURL), let fhir = try json(at: fhirMappingURL) else { return nil }
        return try GatewayTemplates(device: device, fhir: fhir)
    }

    /// What the keys of hubs are made of; nil where no key was made.
    ///
    /// - Throws: ``Consumer/ConsumerError`` `key-file-open` for a file that others can read;
    ///   ``DeviceGateway/GatewayError`` `hub-secret-invalid`.
    public func hubSecret() throws -> HubSecret? {
        guard FileManager.default.fileExists(atPath: hubSecretURL.path) else { return nil }
        return try HubSecret(try keys.privateText(hubSecretURL.lastPathComponent) ?? "")
    }

    /// Makes what the keys of hubs are made of. One that is here stays.
    ///
    /// - Throws: as ``hubSecret()``; `file-unwritable`.
    public func makeHubSecret() throws -> HubSecret {
        if let present = try hubSecret() { return present }
        let text = HubSecret.text(random: AccessControl.systemRandom(HubSecret.length))
        try PrivateFile.write(Data(text.utf8), to: hubSecretURL, permissions: 0o600)
        return try HubSecret(text)
    }
}

/// The secret of hubs, read again when the file has changed: a key may be made while the study is served.
final class HubSecretFile: Sendable {
    private let folder: StudyFolder
    private let known = Mutex<(modified: Date, secret: HubSecret)?>(nil)

    init(_ folder: StudyFolder) { self.folder = folder }

    func value() -> HubSecret? {
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
