import FHIR
import FHIRPath

/// Validates resources against FHIR R4 and against profiles.
///
/// It checks (<https://hl7.org/fhir/R4/validation.html>) names, JSON types, cardinalities, primitive formats, types of
/// choices, references and their targets, required bindings, constraints, extensions, narratives, contained resources,
/// ids, Bundles, and the given profiles. Value sets other than those of R4's own bindings are checked with the
/// context's terminology, if there is one.
///
/// ```swift
/// let report = FHIRValidator().validate(bytes)
/// for issue in report.errors { print(issue.line ?? 0, issue.expression, issue.message) }
/// ```
public struct FHIRValidator: Sendable {
    /// Limits and services of a validation.
    public struct Options: Sendable {
        /// Maximum number of errors, after which validation stops with an issue that reports this; also the maximum
        /// number of warnings and notes in the report.
        public var maximumIssues = 500
        /// Whether a resource without a narrative gets a warning (dom-6). Resources from devices have none.
        public var reportsMissingNarrative = true
        /// The context of constraints: the instant, a resolver, a terminology, limits.
        public var context = FHIRPathContext()

        /// Creates the default options.
        public init() {}
    }

    /// The limits and services.
    public var options: Options
    private let profiles: ProfileSet

    /// - Parameters:
    ///   - profiles: StructureDefinitions of profiles and extensions, with a snapshot or a differential.
    /// - namespaces: profiles that are only used for resources that name them. Of several profiles with one URL, those
    ///   in `profiles` have precedence.
    public init(
        profiles: [JSONObject] = [], namespaces: [ProfileNamespace] = [], options: Options = Options()
    ) {
        self.options = options
        self.profiles = ProfileSet(profiles, namespaces: namespaces)
    }

    /// Returns the reason why a StructureDefinition cannot be used as a profile at all; nil if it can, whatever its
    /// rules.
    public static func reasonProfileIsUnreadable(_ definition: JSONObject) -> String? {
        guard definition["resourceType"]?.string == "StructureDefinition" else {
            return "It is not a StructureDefinition."
        }
        guard definition["url"]?.string?.isEmpty == false else { return "It has no url, by which it is named: add it." }
        guard let type = definition["type"]?.string, TypeModel.r4.type(type) != nil else {
            return "Its type is not a type of R4: correct it."
        }
        let rows = definition["snapshot"]?["element"]?.array ?? definition["differential"]?["element"]?.array ?? []
        guard !rows.isEmpty else { return "It has neither snapshot nor differential: add one." }
        guard rows.allSatisfy({ $0["path"]?.string != nil }) else { return "An element of it has no path: add it." }
        return nil
    }

    /// Whether a profile can be checked: a given profile, a profile of R4, or a type of R4.
    ///
    /// - Parameter canonical: the URL, optionally with a version after `|`
    ///   (<https://hl7.org/fhir/R4/references.html#canonical>).
    public func hasProfile(_ canonical: String) -> Bool {
        let name = CanonicalURL(canonical)
        guard let profile = profiles.profile(name.url) else {
            return ValidationWalk.isCore(name.url) && (name.version.map(Self.isR4) ?? true)
        }
        guard let version = name.version, !version.isEmpty else { return true }
        return profile.version.map { $0 == version } ?? Self.isR4(version)
    }

    /// Whether a version is that of R4: the profiles of R4 have no other.
    private static func isR4(_ version: String) -> Bool { ["4.0.1", "4.0", "4"].contains(version) }

    /// Validates the JSON text of one resource. Every issue has a line and a column.
    ///
    /// - Parameter requested: canonical URLs of profiles to which the resource must conform, in addition to those in
    ///   its `meta.profile`.
    public func validate(_ bytes: some Collection<UInt8>, profiles requested: [String] = []) -> ValidationReport {
        report(of: bytes, profiles: requested, budget: .unlimited)
    }

    /// Validates the JSON text of one resource within a budget of steps: one for each element and for each step of a
    /// constraint.
    ///
    /// - Parameter requested: canonical URLs of profiles to which the resource must conform, in addition to those in
    ///   its `meta.profile`.
    /// - Throws: ``StepBudgetError`` if it takes more steps than the budget has.
    public func validate(
        _ bytes: some Collection<UInt8>, profiles requested: [String] = [], budget: StepBudget
    ) throws(StepBudgetError) -> ValidationReport {
        let report = report(of: bytes, profiles: requested, budget: budget)
        try budget.check()
        return report
    }

    private func report(
        of bytes: some Collection<UInt8>, profiles requested: [String], budget: StepBudget
    ) -> ValidationReport {
        let bytes = Array(bytes)
        let value: JSON
        do {
            value = try JSON(bytes)
        } catch {
            return ValidationReport(issues: [
                ValidationIssue(
                    .fatal, error.reason == .duplicateKey ? .duplicate : .structure, code: error.code,
                    expression: "", message: error.message, line: error.line, column: error.column)
            ])
        }
        let found = walk(value, profiles: requested, budget: budget)
        guard !found.isEmpty else { return ValidationReport(issues: []) }
        return ValidationReport(issues: SourceLocator(bytes).located(found))
    }

    /// Validates a parsed resource; its issues have no line.
    public func validate(_ resource: JSON, profiles requested: [String] = []) -> ValidationReport {
        ValidationReport(issues: walk(resource, profiles: requested, budget: .unlimited).map(\.issue))
    }

    /// Validates a parsed resource within a budget of steps; its issues have no line.
    ///
    /// - Throws: ``StepBudgetError`` if it takes more steps than the budget has.
    public func validate(
        _ resource: JSON, profiles requested: [String] = [], budget: StepBudget
    ) throws(StepBudgetError) -> ValidationReport {
        let found = walk(resource, profiles: requested, budget: budget)
        try budget.check()
        return ValidationReport(issues: found.map(\.issue))
    }

    /// Returns the given profiles to which a resource of the type should conform. If none is for this type, returns all
    /// of them except those for extensions, so that validation reports the mismatch.
    public func applicableProfiles(for type: String) -> [String] {
        let fitting = profiles.all.filter { $0.type == type }
        if !fitting.isEmpty { return fitting.map(\.url) }
        let requested = profiles.all.filter { profile in
            TypeModel.r4.type(profile.type).map { TypeModel.r4.kind(of: $0) == .resource } ?? true
        }
        return requested.map(\.url)
    }

    private func walk(
        _ value: JSON, profiles requested: [String], budget: StepBudget
    ) -> [ValidationWalk.FoundIssue] {
        guard let object = value.object else {
            var walk = ValidationWalk(root: "", options: options, profiles: profiles, budget: budget)
            walk.report(
                .fatal, kind: .structure, code: "resource-type-missing",
                message: "A resource is an object with a resourceType; found \(ValidationWalk.shape(of: value)).")
            return walk.issues
        }
        var walk = ValidationWalk(
            root: object["resourceType"]?.string ?? "", options: options, profiles: profiles, budget: budget)
        walk.resource(object, profiles: requested)
        var issues = walk.issues
        if walk.otherCount > options.maximumIssues {
            let issue = ValidationIssue(
                .information, .tooCostly, code: "too-many-issues", expression: walk.path.root,
                message: "There are \(walk.otherCount) warnings and notes; \(options.maximumIssues) of them are shown.")
            issues.append(ValidationWalk.FoundIssue(issue: issue, steps: [], root: walk.path.root))
        }
        if walk.hasManyErrors {
            let issue = ValidationIssue(
                .error, .tooCostly, code: "too-many-issues", expression: walk.path.root,
                message: "There are \(options.maximumIssues) errors or more: correct these first.")
            issues.append(ValidationWalk.FoundIssue(issue: issue, steps: [], root: walk.path.root))
        }
        return issues
    }
}
