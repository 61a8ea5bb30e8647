import Core
import FHIR
import Foundation
import Wire

/// The author of a permission or of its end: a csi with a signed request, or an account without one.
enum PermissionAuthor: Sendable {
    /// A csi that signed the request.
    case csi(CsiGuid, SignedCsiRequest)
    /// A csi without a request of its own, whose end ended the permission.
    case endedCsi(CsiGuid)
    /// An account: the participant on their page, or the site.
    case account(String)

    /// The device of the csi, or the account.
    var who: Reference {
        switch self {
        case .csi(let guid, _), .endedCsi(let guid): .csi(guid)
        case .account(let id): .logical(id, system: "urn:tributary:account")
        }
    }

    /// The signature of the request; nil without one.
    var signature: Signature? {
        guard case .csi(let guid, let request) = self else { return nil }
        let purpose = Coding(
            system: "urn:iso-astm:E1762-95:2013", code: "1.2.840.10065.1.12.1.1", display: "Author's Signature")
        var signature = Signature(type: [purpose], when: DateTime(request.time.date), who: .csi(guid))
        signature.targetFormat = "application/json"
        signature.sigFormat = "application/octet-stream"
        signature.data = request.signature
        return signature
    }
}

extension Reference {
    /// Returns a reference to the device of a csi. Csis are no resources, so it has an identifier.
    static func csi(_ guid: CsiGuid) -> Reference {
        var reference = logical(guid.text, system: "urn:tributary:csi")
        reference.type = Device.resourceType
        return reference
    }

    /// Returns a reference by an identifier.
    static func logical(_ value: String, system: String) -> Reference {
        var identifier = Identifier()
        identifier.system = system
        identifier.value = value
        var reference = Reference()
        reference.identifier = identifier
        return reference
    }
}
