import FHIR
import FHIRPath

/// The constraints of R4's types and elements (<https://hl7.org/fhir/R4/conformance-rules.html#constraints>).
///
/// Each line of the text has five fields, separated by tabs: key, `e`rror or `w`arning, paths (separated by commas),
/// FHIRPath expression, sentence.
struct InvariantTable: Sendable {
    static let r4 = InvariantTable(r4Text)

    struct Row: Sendable {
        let key: String
        let isError: Bool
        /// The original expression of R4.
        let expression: String
        let sentence: String
        /// Whether the walk checks it without FHIRPath.
        let isNative: Bool
        /// The compiled expression; nil if it cannot be parsed. A test ensures that all can be.
        let compiled: FHIRPathExpression?
    }

    let rows: [Row]
    /// The numbers of the rows by type or element path.
    let byPath: [String: [Int32]]
    private let keys: Set<String>

    /// Constraints that apply to every element or are expensive as FHIRPath, and that are simple to check during the
    /// walk.
    static let native: Set<String> = [
        "ele-1", "ext-1", "dom-2", "dom-3", "dom-4", "dom-5", "dom-6", "ref-1", "qty-3", "txt-1", "txt-2",
    ]

    init(_ text: StaticString) {
        var rows: [Row] = []
        var byPath: [String: [Int32]] = [:]
        for line in text.description.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5 else { continue }
            for path in fields[2].split(separator: ",") { byPath[String(path), default: []].append(Int32(rows.count)) }
            rows.append(
                Row(
                    key: fields[0], isError: fields[1] == "e", expression: fields[3], sentence: fields[4],
                    isNative: InvariantTable.native.contains(fields[0]),
                    compiled: try? FHIRPathExpression(InvariantTable.linear(fields[0], fields[3]))))
        }
        self.rows = rows
        keys = Set(rows.map(\.key))
        self.byPath = byPath
    }

    /// Parts of R4's expressions that compare all pairs of items, or search the whole resource for each item, with
    /// equivalent parts of linear cost.
    static let linear: [String: (part: String, by: String)] = [
        "obs-7": (
            "component.code.where(coding.intersect(%resource.code.coding).exists()).empty()",
            "component.code.coding.intersect(%resource.code.coding).empty()"
        ),
        "sdf-8": (
            "element.tail().all(path.startsWith(%resource.snapshot.element.first().path",
            "defineVariable('first', element.first().path).element.tail().all(path.startsWith(%first"
        ),
        "sdf-8a": (
            "element.tail().all(path.startsWith(%resource.differential.element.first().path",
            "defineVariable('first', element.first().path).element.tail().all(path.startsWith(%first"
        ),
        "ig-1": (
            "resource.groupingId.all(%context.grouping.id contains $this)",
            "resource.groupingId.subsetOf(%context.grouping.id)"
        ),
        "ig-2": (
            "definition.resource.fhirVersion.all(%context.fhirVersion contains $this)",
            "definition.resource.fhirVersion.subsetOf(%context.fhirVersion)"
        ),
    ]

    /// Returns the expression that is evaluated instead of R4's.
    static func linear(_ key: String, _ expression: String) -> String {
        guard let (part, by) = linear[key] else { return expression }
        return expression.replacing(part, with: by)
    }

    /// Whether R4 itself has a constraint with the key, so that a profile's snapshot only repeats it.
    func states(_ key: String) -> Bool { keys.contains(key) }
}
