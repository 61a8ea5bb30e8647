import FHIR
import FHIRValidation
import RecordStorage

/// Strictness of a study's FHIR validation: the kinds of problems that quarantine a submission.
package enum ValidationStrictness: String, Sendable, CaseIterable {
    /// Only problems that prevent processing.
    case none
    /// Also wrong structure: unknown elements, cardinalities, types, formats.
    case structure
    /// Every error, including codes, constraints, references, extensions, narratives, and the study's profiles.
    case errors
    /// Warnings as well, except a missing narrative, because devices send none.
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

/// Validates submissions against R4 and the study's profiles, with the study's strictness.
package struct SubmissionValidation: Sendable {
    package let strictness: ValidationStrictness
    private let validator: FHIRValidator
    private let hasProfiles: Bool

    /// - Parameter profiles: StructureDefinitions that resources may name in `meta.profile`.
    package init(strictness: ValidationStrictness, profiles: [JSONObject] = []) {
        self.strictness = strictness
        var options = FHIRValidator.Options()
        options.reportsMissingNarrative = false
        validator = FHIRValidator(profiles: profiles, options: options)
        hasProfiles = !profiles.isEmpty
    }

    /// Returns the first problem that quarantines the submission; nil if there is none.
    ///
    /// - Parameter isOfDevice: whether a device sent it: a device's withdrawals are accepted in any form, and its
    ///   Contracts are consents.
    /// - Throws: ``SubmissionProblem`` `too-expensive` if the budget is used up.
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

    /// Returns all problems of a resource that is only validated. An error that the study does not quarantine is a
    /// warning; errors against a requested profile stay errors.
    ///
    /// - Parameter profiles: canonical URLs of known profiles (``knows(profile:)``).
    /// - Throws: ``SubmissionProblem`` `too-expensive`.
    func problems(in resource: Resource, profiles: [String], budget: StepBudget) throws -> [RecordIssue] {
        guard strictness != .none || !profiles.isEmpty else { return [] }
        return try issues(of: resource, profiles: profiles, budget: budget).compactMap { issue in
            guard issue.severity >= .warning else { return nil }
            let isRefused = strictness.quarantines(issue) || !profiles.isEmpty && issue.severity >= .error
            return Self.row(issue, severity: isRefused ? .error : .warning)
        }
    }

    /// Whether the validator has a profile, in the version after `|` if there is one.
    func knows(profile: String) -> Bool { validator.hasProfile(profile) }

    /// Returns the issue in the form of an OperationOutcome.
    private static func row(_ issue: ValidationIssue, severity: IssueSeverity = .error) -> RecordIssue {
        let path = path(of: issue)
        return RecordIssue(
            severity: severity, kind: IssueType(rawValue: issue.kind.rawValue),
            coding: Coding(system: ValidationReport.system, code: issue.code),
            expression: path ?? String(issue.expression.prefix { $0.isLetter }),
            message: "\(path ?? "The resource"): \(issue.message)")
    }

    /// Whether the result may depend on the values in which Observations of a kind differ
    /// (``Records/ObservationValues``). No rule of R4 and no rule about identifying data does; a new rule that does
    /// must be added here. A study's profile may contain any rule, and that of an extension may concern the whole
    /// resource.
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

    /// Whether a resource that no device sent has a wrong structure for its type.
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

    /// Whether a Consent is a withdrawal, which is honoured in any readable form.
    private func isWithdrawal(_ resource: Resource) -> Bool {
        resource.resourceType == Consent.resourceType && Consent(resource.object).status != .active
    }

    /// Returns the path of the problem; nil for the whole resource. An element name that R4 does not contain is
    /// arbitrary text of the sender, and is omitted because it could identify a person.
    private static func path(of issue: ValidationIssue) -> String? {
        let steps = issue.expression.split(separator: ".")
        let isForeign =
            issue.code == "unknown-element" || issue.code == "choice-type" || issue.code == "sibling-of-object"
        let known = isForeign ? steps.dropLast() : steps[...]
        let shown = known.prefix { !$0.contains("`") }.joined(separator: ".")
        return shown.isEmpty ? nil : shown
    }
}
