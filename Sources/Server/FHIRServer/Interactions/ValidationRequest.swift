import Core
import FHIR
import FHIRHTTP

/// The parameters of `$validate` (<https://hl7.org/fhir/R4/resource-operation-validate.html>), from the address and
/// from a Parameters resource.
struct ValidationRequest: Sendable {
    /// The interaction for which the resource is validated. The raw value is the code of the value set
    /// `resource-validation-mode`.
    enum Mode: String, Sendable, CaseIterable {
        case create, update, delete, profile
    }

    /// The resource in the request; nil to validate the stored one.
    var resource: Resource?
    /// nil to validate only the content.
    var mode: Mode?
    /// The canonical URLs of the requested profiles, with or without a version.
    var profiles: [String] = []

    /// Maximum number of profiles of one request.
    static let maximumProfiles = 20

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - address: the parameters of the address.
    ///   - body: the resource in the request, by itself or in Parameters; nil without a body.
    ///   - type: the type in the address.
    init(address: [(name: String, value: String)], body: Resource?, type: String) throws(RecordsFailure) {
        for (name, value) in address { try read(name, value) }
        guard let parameters = body?.as(Parameters.self), type != Parameters.resourceType else {
            resource = body
            return
        }
        for parameter in parameters.parameter {
            if parameter.name == "resource" {
                resource = parameter.resource
            } else if let name = parameter.name, let value = Self.text(of: parameter) {
                try read(name, value)
            }
        }
    }

    private mutating func read(_ name: String, _ value: String) throws(RecordsFailure) {
        switch name {
        case "mode":
            guard let mode = Mode(rawValue: value) else {
                throw .invalid("mode", "one of " + Mode.allCases.map(\.rawValue).joined(separator: ", "))
            }
            self.mode = mode
        case "profile":
            guard !value.isEmpty, profiles.count < Self.maximumProfiles else {
                throw .invalid("profile", "the canonical URL of a profile, at most \(Self.maximumProfiles) times")
            }
            profiles.append(value)
        default: return
        }
    }

    /// Returns the value of a parameter that is a string, whatever its type.
    private static func text(of parameter: Parameters.Parameter) -> String? {
        parameter.object.members.first { $0.key.hasPrefix("value") }?.value.string
    }
}
