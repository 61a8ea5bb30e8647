import FHIR
import FHIRPath

/// One pass over a resource that visits each element once, with its type and rules.
///
/// 1. Structure: known name, JSON type, cardinality, one type of a choice (``members(of:_:)``).
/// 2. Values: the format of primitives, bindings, and the rules of certain types.
/// 3. Constraints by FHIRPath.
/// 4. The profiles that the resource or the caller names.
struct ValidationWalk {
    /// A resource that contains the present element: the outermost, one in a Bundle or a contained one.
    struct Frame {
        let object: JSONObject
        let element: TypedElement
        /// Number of steps of the path to the resource.
        let depth: Int
        let isContained: Bool
        /// The types of the contained resources by their ids.
        let contained: [String: String]
        /// The contained resources by their ids.
        let containedElements: [String: TypedElement]
        /// The ids of the visited elements, which must be unique.
        var elementIDs: Set<String> = []

        init(_ object: JSONObject, _ element: TypedElement, depth: Int, isContained: Bool) {
            self.object = object
            self.element = element
            self.depth = depth
            self.isContained = isContained
            var contained: [String: String] = [:]
            var elements: [String: TypedElement] = [:]
            for item in object["contained"]?.array ?? [] {
                guard let id = item["id"]?.string, contained[id] == nil else { continue }
                contained[id] = item["resourceType"]?.string ?? ""
                elements[id] = item.object.map(TypedElement.init(resource:))
            }
            self.contained = contained
            containedElements = elements
        }
    }

    let plan = ValidationPlan.r4
    let model = TypeModel.r4
    let terminology = BuiltInTerminology.r4
    let options: FHIRValidator.Options
    let profiles: ProfileSet
    /// One step is spent for each element and for each step of a constraint.
    let budget: StepBudget
    var path: ElementPath
    var frames: [Frame] = []
    /// The enclosing Bundles, innermost last, for references between their entries.
    var bundles: [BundleIndex] = []
    /// The URLs of the enclosing extensions, innermost last.
    var extensionURLs: [String] = []
    var profileDepth = 0
    var issues: [FoundIssue] = []
    private var errorCount = 0
    /// Number of warnings and notes, including those beyond the limit.
    private(set) var otherCount = 0

    /// An issue with its path, for finding its line.
    struct FoundIssue {
        let issue: ValidationIssue
        let steps: [ElementPath.Step]
        let root: String
    }

    init(root: String, options: FHIRValidator.Options, profiles: ProfileSet, budget: StepBudget) {
        self.budget = budget
        path = ElementPath(root: root)
        self.options = options
        self.profiles = profiles
    }

    // MARK: Issues

    /// Whether the walk should stop: the limit of errors is reached, or no steps remain.
    var isFull: Bool { hasManyErrors || budget.isExhausted }

    /// Whether the limit of errors is reached.
    var hasManyErrors: Bool { errorCount >= options.maximumIssues }

    mutating func report(
        _ severity: ValidationIssue.Severity, kind: ValidationIssue.Kind, code: String, message: String,
        at child: String? = nil
    ) {
        guard !isFull else { return }
        if severity < .error, otherCount >= options.maximumIssues {
            otherCount += 1
            return
        }
        var steps = path.steps
        if let child {
            steps.append(ElementPath.Step(key: child, index: nil, declaration: -1, type: .unknown))
        }
        let issue = ValidationIssue(
            severity, kind, code: code, expression: path.expression(of: steps[...]), message: message)
        // An extension is checked at its location, and again if a profile has rules for it.
        if profileDepth > 0, issues.contains(where: { $0.issue == issue }) { return }
        if severity >= .error { errorCount += 1 } else { otherCount += 1 }
        issues.append(FoundIssue(issue: issue, steps: steps, root: path.root))
    }

    mutating func error(_ kind: ValidationIssue.Kind, code: String, message: String, at child: String? = nil) {
        report(.error, kind: kind, code: code, message: message, at: child)
    }

    mutating func warning(_ kind: ValidationIssue.Kind, code: String, message: String, at child: String? = nil) {
        report(.warning, kind: kind, code: code, message: message, at: child)
    }

    /// Runs the body with a step appended to the path.
    mutating func inside(_ step: ElementPath.Step, _ body: (inout ValidationWalk) -> Void) {
        path.steps.append(step)
        body(&self)
        path.steps.removeLast()
    }

    // MARK: Elements

    /// Checks a resource: the outermost, or one inside of another.
    mutating func resource(_ object: JSONObject, isContained: Bool = false, profiles named: [String] = []) {
        let element = TypedElement(resource: object)
        guard element.type.isKnown else {
            unknownResourceType(object)
            return
        }
        guard !model.isAbstract(element.type) else {
            error(
                .structure, code: "abstract-type",
                message: "\(element.typeName) is abstract: name a type derived from it.",
                at: "resourceType")
            return
        }
        frames.append(Frame(object, element, depth: path.steps.count, isContained: isContained))
        let isBundle = plan.types[Int(element.type.index)].special == .bundle
        if isBundle { bundles.append(BundleIndex(object)) }
        members(of: object, element)
        resourceRules(object, element, isContained: isContained)
        if isBundle {
            bundleRules(object)
            bundles.removeLast()
        }
        profileRules(object, element, named: named)
        frames.removeLast()
    }

    private mutating func unknownResourceType(_ object: JSONObject) {
        guard let name = object["resourceType"] else {
            error(
                .structure, code: "resource-type-missing", message: "A resource begins with its resourceType: add it.")
            return
        }
        guard let text = name.string else {
            error(
                .structure, code: "resource-type-missing",
                message: "The resourceType is text: the name of a type of R4.",
                at: "resourceType")
            return
        }
        let near = model.resourceTypes.first { $0.lowercased() == text.lowercased() }
        error(
            .structure, code: "unknown-resource-type",
            message: near.map { "The name of this type in R4 is \($0): use that name." }
                ?? "R4 has no resource of this type: use one of its types.", at: "resourceType")
    }

    /// Checks one value of an element, by its type.
    mutating func value(_ value: JSON, sibling: JSON?, type: TypeModel.TypeID, declaration: Int32) {
        guard !isFull, budget.spend() else { return }
        let rule = plan.types[Int(type.index)]
        switch rule.kind {
        case .primitive:
            primitive(value, sibling: sibling, type: type, rule: rule, declaration: declaration)
        case .resource:
            guard let object = value.object else {
                wrongShape(value, "a resource, an object in braces")
                return
            }
            nestedResource(object, type)
        case .complex, .backbone:
            guard let object = value.object else {
                wrongShape(value, "an object in braces with the elements of \(model.name(of: type))")
                return
            }
            let element = TypedElement(value, type: type, declaration: declaration)
            let isExtension = rule.special == .extension
            if isExtension { extensionURLs.append(object["url"]?.string ?? "") }
            members(of: object, element)
            special(rule.special, object)
            if isExtension {
                suppliedExtension(object, element)
                extensionURLs.removeLast()
            }
            let stated = plan.elements[Int(declaration)]
            if let binding = stated.binding { bind(value, special: rule.special, binding: binding) }
            for number in stated.invariants { invariant(number, element) }
        }
    }

    mutating func wrongShape(_ value: JSON, _ wanted: String) {
        if value.isNull {
            error(.structure, code: "null-value", message: "FHIR has no null here: leave the element out.")
        } else {
            error(
                .structure, code: "wrong-shape", message: "Write \(wanted); found \(ValidationWalk.shape(of: value)).")
        }
    }

    static func shape(of value: JSON) -> String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    private mutating func nestedResource(_ object: JSONObject, _ type: TypeModel.TypeID) {
        let isContained = path.steps.last?.key == "contained"
        let found = TypedElement.resourceType(of: object)
        if found.isKnown, !model.isSubtype(found, of: type) {
            error(.structure, code: "wrong-resource-type", message: "A \(model.name(of: type)) is expected here.")
            return
        }
        resource(object, isContained: isContained)
    }

    // MARK: 3. Constraints

    mutating func invariant(_ number: Int32, _ element: TypedElement) {
        let row = InvariantTable.r4.rows[Int(number)]
        guard let compiled = row.compiled else { return }
        invariant(
            row.key, expression: compiled, isError: row.isError, sentence: row.sentence, element: element, isOwn: true)
    }

    /// Evaluates a constraint of R4 or of a profile.
    mutating func invariant(
        _ key: String, expression: FHIRPathExpression, isError: Bool, sentence: String, element: TypedElement,
        isOwn: Bool = false
    ) {
        guard !budget.isExhausted else { return }
        do {
            // A constraint must be true: an empty result counts as a violation, as in HL7's own validator. For a
            // warning, an empty result is not reported.
            if try expression.evaluateBoolean(element, in: evaluationContext, budget: budget) ?? !isError { return }
        } catch {
            report(
                // R4's own constraints can be parsed, so only a very large resource can exceed their limits.
                isError && !isOwn ? .error : .warning, kind: error.kind == .limit ? .tooCostly : .notSupported,
                code: "constraint-not-evaluated",
                message: "The constraint \(key) could not be evaluated: \(error.message)")
            return
        }
        report(isError ? .error : .warning, kind: .invariant, code: key, message: "\(key): \(sentence)")
    }

    /// The context of constraints, with the enclosing resources for `%resource` and `resolve()`.
    var evaluationContext: FHIRPathContext {
        var context = options.context
        let current = frames.last { !$0.isContained } ?? frames.last
        context.resource = frames.last?.element
        context.rootResource = current?.element
        context.contained = current?.containedElements
        return context
    }
}
