import FHIR
import RecordStorage

/// Minimum content of a resource for processing: the elements that R4 requires for the types that devices send, and
/// valid dates.
enum RequiredElements {
    /// Returns the first missing or invalid element of a resource; nil if there is none.
    ///
    /// - Parameter isOfDevice: whether a device sent it. A Contract of a device is always a participant's consent.
    static func problem(in resource: Resource, isOfDevice: Bool) -> SubmissionProblem? {
        let type = resource.resourceType
        let elements = (required[type] ?? []) + (isOfDevice ? ofDevices[type] ?? [] : [])
        for element in elements where isMissing(element, in: resource) {
            return problem(
                "\(type).\(element)", kind: .required, message: "The \(type) lacks the required element \(element).")
        }
        if hasUnknownStatus(resource) {
            return problem(
                "\(type).status", kind: .codeInvalid, message: "The status of the \(type) is not a code of FHIR R4.")
        }
        for element in dates where resource[element] != nil {
            guard resource[element].flatMap(DateTime.init(json:)) != nil else {
                return problem(
                    "\(type).\(element)", kind: .value,
                    message: "The element \(element) of the \(type) is not a valid FHIR date or time.")
            }
        }
        if let id = resource["id"], !(id.string.map(Resource.isID) ?? false) {
            return problem("\(type).id", kind: .value, message: "The id of the \(type) is not a valid FHIR id.")
        }
        return shapeProblem(in: resource)
    }

    /// Whether the status is not a code of R4 for the type.
    private static func hasUnknownStatus(_ resource: Resource) -> Bool {
        switch resource.resourceType {
        case QuestionnaireResponse.resourceType:
            if case .unrecognized? = QuestionnaireResponse(resource.object).status { true } else { false }
        case Observation.resourceType:
            if case .unrecognized? = Observation(resource.object).status { true } else { false }
        case Consent.resourceType:
            if case .unrecognized? = Consent(resource.object).status { true } else { false }
        default: false
        }
    }

    /// Items must be objects with a linkId, which identifies the facts.
    private static func shapeProblem(in resource: Resource) -> SubmissionProblem? {
        guard resource.resourceType == QuestionnaireResponse.resourceType else { return nil }
        func isSound(_ items: JSON?) -> Bool {
            guard let items else { return true }
            guard let list = items.array, !list.isEmpty else { return false }
            return list.allSatisfy { item in
                guard item["linkId"]?.string != nil, isSound(item["item"]) else { return false }
                guard let answers = item["answer"] else { return true }
                return answers.array?.allSatisfy { $0.object != nil && isSound($0["item"]) } ?? false
            }
        }
        return isSound(resource["item"])
            ? nil
            : problem(
                "QuestionnaireResponse.item", kind: .structure,
                message: "An item of the QuestionnaireResponse has no linkId or is not an object.")
    }

    private static func problem(_ expression: String, kind: IssueType, message: String) -> SubmissionProblem {
        SubmissionProblem(
            "resource-invalid", message, issues: [RecordIssue(kind: kind, expression: expression, message: message)])
    }

    private static func isMissing(_ element: String, in resource: Resource) -> Bool {
        guard let value = resource[element] else { return true }
        switch value {
        case .object(let object): return object.isEmpty
        case .array(let elements): return elements.isEmpty
        case .string(let text): return text.isEmpty
        default: return value.isNull
        }
    }

    private static let required: [String: [String]] = [
        "Consent": ["status", "scope", "category"],
        "QuestionnaireResponse": ["status"],
        "Observation": ["status", "code"],
        "Encounter": ["status"],
    ]

    private static let ofDevices: [String: [String]] = ["Contract": ["signer"]]

    private static let dates = ["authored", "issued", "effectiveDateTime", "effectiveInstant", "dateTime", "birthDate"]
}
