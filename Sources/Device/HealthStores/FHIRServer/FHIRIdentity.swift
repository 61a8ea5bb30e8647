import FHIR
import Foundation
import HealthData

/// The identifiers that mark a resource of a server as one of the device, because the server may assign its own id.
enum FHIRIdentity {
    /// The system of the identifier whose value is the id that the resource has elsewhere.
    static let idSystem = "urn:tributary:resource-id"
    /// The system of HealthKit's sample identifiers.
    static let sampleSystem = HealthSample.IdentifierSystem.healthKit

    /// An identifier as a search parameter.
    struct Token: Hashable, Sendable {
        let system: String
        let value: String

        var text: String { "\(PercentEncoding.encode(system))%7C\(PercentEncoding.encode(value))" }
    }

    /// Returns the identifiers of a sample's resource.
    static func tokens(uuid: UUID?, id: String?) -> [Token] {
        [
            uuid.map { Token(system: sampleSystem, value: $0.uuidString) },
            id.map { Token(system: idSystem, value: $0) },
        ].compactMap { $0 }
    }

    /// Returns all identifiers of a resource.
    static func tokens(of resource: JSON) -> Set<Token> {
        Set(
            (resource["identifier"]?.array ?? []).compactMap { identifier in
                guard let value = identifier["value"]?.string else { return nil }
                return Token(system: identifier["system"]?.string ?? "", value: value)
            })
    }

    /// Returns a resource for a server that assigns ids: its id becomes an identifier, and its references to other
    /// resources of the device become logical references by such identifiers.
    static func anonymous(_ resource: JSON) -> JSON {
        guard var object = resource.object else { return resource }
        if let id = object["id"]?.string {
            object["id"] = nil
            let identifier: JSON = ["system": .string(idSystem), "value": .string(id)]
            object["identifier"] = .array((object["identifier"]?.array ?? []) + [identifier])
        }
        return logical(.object(object))
    }

    private static func logical(_ json: JSON) -> JSON {
        switch json {
        case .array(let elements): return .array(elements.map(logical))
        case .object(let object):
            if let reference = object["reference"]?.string, let (type, id) = own(reference) {
                var reference = object
                reference["reference"] = nil
                reference["type"] = .string(type)
                reference["identifier"] = ["system": .string(idSystem), "value": .string(id)]
                return .object(reference)
            }
            return .object(
                JSONObject(keepingFirst: object.members.map { .init(key: $0.key, value: logical($0.value)) }))
        default: return json
        }
    }

    /// Returns the parts of a reference to a resource type that the device itself creates.
    private static func own(_ reference: String) -> (type: String, id: String)? {
        let parts = reference.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "Observation" || parts[0] == "Device" else { return nil }
        return (String(parts[0]), String(parts[1]))
    }
}
