import FHIR
import FHIRValidation
import Records

/// The strictness with which a study takes FHIR: what is found wrong quarantines the submission.
public enum ValidationStrictness: String, Sendable, CaseIterable {
    /// Only what the way through the house itself needs.
    case none
    /// Also wrong structure: unknown elements, cardinalities, types, formats.
    case structure
    /// Every error: also codes, constraints, references, extensions, narratives, and the study's profiles.
    case errors
    /// Warnings as well; a missing narrative is none, for what devices make has none.
    case warnings

    func quarantines(_ issue: ValidationIssue) -> Bool {
        switch self {
        case .none: false
        case .structure: issue.severity >= .error && [.structure, .required, .value, .tooLong].contains(issue.kind)
        case .errors: issue.severity >= .error
        case .warnings: issue.severity >= .warning
        }
    }
}

/// Checks what devices send against R4 and the study's profiles, as strictly as the study wants it.
public struct SubmissionValidation: Sendable {
    public let strictness: ValidationStrictness
    private let validator: FHIRValidator
    private let hasProfiles: Bool

    /// - Parameter profiles: StructureDefinitions that resources may name in `meta.profile`.
    public init(strictness: ValidationStrictness, profiles: [JSONObject] = []) {
        self.strictness = strictness
        var options = FHIRValidator.Options()
        options.reportsMissingNarrative = false
        validator = FHIRValidator(profiles: profiles, options: options)
        hasProfiles = !profiles.isEmpty
    }

    /// The first problem that quarantines the submission; nil where it may go on.
    ///
    /// - Parameter isOfDevice: whether a device sent it: its withdrawals are taken however they are written, and its Contracts
    ///   are consents.
    /// - Throws: ``SubmissionProblem`` `too-expensive` where the budget is used up.
    func problem(
        in resource: Resource, budget: StepBudget = .unlimited, isOfDevice: Bool = true
    ) throws -> SubmissionProblem? {
        let lacking = RequiredElements.problem(in: resource, isOfDevice: isOfDevice)
        guard strictness != .none, !(isOfDevice && isWithdrawal(resource)) else { return lacking }
        let issues = try issues(of: resource, profiles: [], budget: budget).filter(strictness.quarantines)
        let rows = issues.prefix(RecordIssue.maximumCount + 1).map { Self.row($0) }
        if let lacking {
            return SubmissionProblem(lacking.code, lacking.message, issues: rows.isEmpty ? lacking.issues : rows)
        }
        guard let first = rows.first else { return nil }
        let more = issues.count > 1 ? " There are \(issues.count - 1) more problems." : ""
        return SubmissionProblem("resource-invalid", "\(first.message)\(more)", issues: rows)
    }

    private func issues(
        of resource: Resource, profiles: [String], budget: StepBudget
    ) throws -> [ValidationIssue] {
        do {
            return try validator.validate(resource.json, profiles: profiles, budget: budget).issues
        } catch {
            throw SubmissionProblem(error.code, error.message)
        }
    }

    /// All problems of a resource that is only checked. An error that the study does not refuse is a warning; a profile that
    /// the caller asks for is held in full.
    ///
    /// - Parameter profiles: canonical URLs that the validator has (``knows(profile:)``).
    /// - Throws: ``SubmissionProblem`` `too-expensive`.
    func problems(in resource: Resource, profiles: [String], budget: StepBudget) throws -> [RecordIssue] {
        guard strictness != .none || !profiles.isEmpty else { return [] }
        return try issues(of: resource, profiles: profiles, budget: budget).compactMap { issue in
            guard issue.severity >= .warning else { return nil }
            let isRefused = strictness.quarantines(issue) || !profiles.isEmpty && issue.severity >= .error
            return Self.row(issue, severity: isRefused ? .error : .warning)
        }
    }

    /// Whether the validator has a profile, in the version behind `|` if one is named.
    func knows(profile: String) -> Bool { validator.hasProfile(profile) }

    /// The issue as an OperationOutcome reports it.
    private static func row(_ issue: ValidationIssue, severity: IssueSeverity = .error) -> RecordIssue {
        let path = path(of: issue)
        return RecordIssue(
            severity: severity, kind: IssueType(rawValue: issue.kind.rawValue),
            coding: Coding(system: ValidationReport.system, code: issue.code),
            expression: path ?? String(issue.expression.prefix { $0.isLetter }),
            message: "\(path ?? "The resource"): \(issue.message)")
    }

    /// Whether what is found may depend on the values in which Observations of a kind differ (``Records/ObservationValues``).
    /// No rule of R4's does, and none of ours about what identifies: whoever writes such a rule has to tell it here. A study's
    /// profile may have any, and one of an extension may speak of the whole resource.
    func mayDependOnValues(of resource: Resource) -> Bool {
        guard strictness != .none, hasProfiles else { return false }
        return resource["meta"]?["profile"] != nil || Self.hasExtension(resource.json)
    }

    private static func hasExtension(_ json: JSON) -> Bool {
        if let object = json.object {
            return object.members.contains {
                $0.key == "extension" || $0.key == "modifierExtension" || hasExtension($0.value)
            }
        }
        return json.array?.contains(where: hasExtension) ?? false
    }

    /// Whether something is wrong with the shape that FHIR gives the type, of what no device sent.
    ///
    /// - Throws: ``SubmissionProblem`` `too-expensive`.
    func isOfWrongShape(_ resource: Resource, budget: StepBudget) throws -> Bool {
        guard strictness != .none, RequiredElements.problem(in: resource, isOfDevice: false) == nil else {
            return false
        }
        do {
            return try validator.validate(resource.json, budget: budget).issues
                .contains(where: ValidationStrictness.structure.quarantines)
        } catch {
            throw SubmissionProblem(error.code, error.message)
        }
    }

    /// Whether the person takes the consent back: that is honoured however it is written, as soon as the house can read it.
    private func isWithdrawal(_ resource: Resource) -> Bool {
        resource.resourceType == Consent.resourceType && Consent(resource.object).status != .active
    }

    /// Returns the path of the problem, nil for the whole resource. A name that R4 does not know is the sender's own text: it is left out, for it
    /// could be anybody's.
    private static func path(of issue: ValidationIssue) -> String? {
        let steps = issue.expression.split(separator: ".")
        let isForeign =
            issue.code == "unknown-element" || issue.code == "choice-type" || issue.code == "sibling-of-object"
        let known = isForeign ? steps.dropLast() : steps[...]
        let shown = known.prefix { !$0.contains("`") }.joined(separator: ".")
        return shown.isEmpty ? nil : shown
    }
}
