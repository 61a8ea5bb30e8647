import FHIR
import FHIRPath

/// Checks resources against FHIR R4 and against profiles.
///
/// It checks (<https://hl7.org/fhir/R4/validation.html>) names, shapes, cardinalities, primitive formats, types of
/// choices, references and their targets, required bindings, constraints, extensions, narratives, contained resources,
/// ids, Bundles, and the profiles that are supplied. Terminology beyond the value sets of R4's own bindings is
/// asked of the context's terminology, where there is one.
///
/// ```swift
/// let report = FHIRValidator().validate(bytes)
/// for issue in report.errors { print(issue.line ?? 0, issue.expression, issue.message) }
/// ```
public struct FHIRValidator: Sendable {
    /// Bounds and services of a validation.
    public struct Options: Sendable {
        /// After so many errors the walk ends and says so; of warnings and notes so many are told.
        public var maximumIssues = 500
        /// Whether a resource without a narrative gets a warning (dom-6). Resources that devices make have none.
        public var reportsMissingNarrative = true
        /// For constraints: the instant, a resolver, a terminology, limits.
        public var context = FHIRPathContext()

        /// Makes the options that hold where nothing else is said.
        public init() {}
    }

    /// The bounds and services.
    public var options: Options
    private let profiles: ProfileSet

    /// - Parameters:
    ///   - profiles: StructureDefinitions of profiles and extensions, with a snapshot or a differential.
    ///   - namespaces: profiles that are known but asked of nothing that does not name them; of several with one URL,
    ///     `profiles` come first.
    public init(
        profiles: [JSONObject] = [], namespaces: [ProfileNamespace] = [], options: Options = Options()
    ) {
        self.options = options
        self.profiles = ProfileSet(profiles, namespaces: namespaces)
    }

    /// Why a StructureDefinition cannot be used as a profile at all; nil where it can, whatever it asks for.
    public static func reasonProfileIsUnreadable(_ definition: JSONObject) -> String? {
        guard definition["resourceType"]?.string == "StructureDefinition" else {
            return "It is no StructureDefinition."
        }
        guard definition["url"]?.string?.isEmpty == false else { return "It has no url, by which it is named: add it." }
        guard let type = definition["type"]?.string, TypeModel.r4.type(type) != nil else {
            return "It constrains no type of R4: correct its type."
        }
        let rows = definition["snapshot"]?["element"]?.array ?? definition["differential"]?["element"]?.array ?? []
        guard !rows.isEmpty else { return "It has neither snapshot nor differential: add one." }
        guard rows.allSatisfy({ $0["path"]?.string != nil }) else { return "An element of it has no path: add it." }
        return nil
    }

    /// Whether a profile can be checked: one that was supplied, one of R4, or a type of R4.
    ///
    /// - Parameter canonical: the URL, with a version behind `|` where a certain one is meant
    ///   (<https://hl7.org/fhir/R4/references.html#canonical>).
    public func hasProfile(_ canonical: String) -> Bool {
        let name = CanonicalURL(canonical)
        guard let profile = profiles.profile(name.url) else {
            return ValidationWalk.isCore(name.url) && (name.version.map(Self.isR4) ?? true)
        }
        guard let version = name.version, !version.isEmpty else { return true }
        return profile.version.map { $0 == version } ?? Self.isR4(version)
    }

    /// Whether a version is R4's own: the profiles of R4 have no other.
    private static func isR4(_ version: String) -> Bool { ["4.0.1", "4.0", "4"].contains(version) }

    /// Validates the JSON text of one resource. Every issue has a line and a column.
    ///
    /// - Parameter asked: canonical URLs of profiles that the resource must conform to, beyond those it names itself.
    public func validate(_ bytes: some Collection<UInt8>, profiles asked: [String] = []) -> ValidationReport {
        report(of: bytes, profiles: asked, budget: .unlimited)
    }

    /// Validates the JSON text of one resource within a budget of steps: one for each element and for each step of a
    /// constraint.
    ///
    /// - Parameter asked: canonical URLs of profiles that the resource must conform to, beyond those it names itself.
    /// - Throws: ``StepBudgetError`` where it takes more steps than there are.
    public func validate(
        _ bytes: some Collection<UInt8>, profiles asked: [String] = [], budget: StepBudget
    ) throws(StepBudgetError) -> ValidationReport {
        let report = report(of: bytes, profiles: asked, budget: budget)
        try budget.check()
        return report
    }

    private func report(
        of bytes: some Collection<UInt8>, profiles asked: [String], budget: StepBudget
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
        let found = walk(value, profiles: asked, budget: budget)
        guard !found.isEmpty else { return ValidationReport(issues: []) }
        return ValidationReport(issues: SourceLocator(bytes).located(found))
    }

    /// Validates a resource that was read already; its issues have no line.
    public func validate(_ resource: JSON, profiles asked: [String] = []) -> ValidationReport {
        ValidationReport(issues: walk(resource, profiles: asked, budget: .unlimited).map(\.issue))
    }

    /// Validates a resource that was read already, within a budget of steps; its issues have no line.
    ///
    /// - Throws: ``StepBudgetError`` where it takes more steps than there are.
    public func validate(
        _ resource: JSON, profiles asked: [String] = [], budget: StepBudget
    ) throws(StepBudgetError) -> ValidationReport {
        let found = walk(resource, profiles: asked, budget: budget)
        try budget.check()
        return ValidationReport(issues: found.map(\.issue))
    }

    /// The supplied profiles that a resource of the type is to conform to. Where none is for the type, all of them, so
    /// that validation tells the mismatch; those for extensions stand aside.
    public func profilesToAsk(for type: String) -> [String] {
        let fitting = profiles.all.filter { $0.type == type }
        if !fitting.isEmpty { return fitting.map(\.url) }
        let asked = profiles.all.filter { profile in
            TypeModel.r4.type(profile.type).map { TypeModel.r4.kind(of: $0) == .resource } ?? true
        }
        return asked.map(\.url)
    }

    private func walk(
        _ value: JSON, profiles asked: [String], budget: StepBudget
    ) -> [ValidationWalk.FoundIssue] {
        guard let object = value.object else {
            var walk = ValidationWalk(root: "", options: options, profiles: profiles, budget: budget)
            walk.report(
                .fatal, .structure, "resource-type-missing",
                "A resource is an object with a resourceType; here stands \(ValidationWalk.shape(of: value)).")
            return walk.issues
        }
        var walk = ValidationWalk(
            root: object["resourceType"]?.string ?? "", options: options, profiles: profiles, budget: budget)
        walk.resource(object, profiles: asked)
        var issues = walk.issues
        if walk.otherCount > options.maximumIssues {
            let issue = ValidationIssue(
                .information, .tooCostly, code: "too-many-issues", expression: walk.path.root,
                message: "There are \(walk.otherCount) warnings and notes; \(options.maximumIssues) of them are told.")
            issues.append(ValidationWalk.FoundIssue(issue: issue, steps: [], root: walk.path.root))
        }
        if walk.hasManyErrors {
            let issue = ValidationIssue(
                .error, .tooCostly, code: "too-many-issues", expression: walk.path.root,
                message: "There are \(options.maximumIssues) errors or more: mend these first.")
            issues.append(ValidationWalk.FoundIssue(issue: issue, steps: [], root: walk.path.root))
        }
        return issues
    }
}
