import FHIR
import HealthData

/// The documentation page of a table of types as Markdown. docs/health-types.md is that of the standard table.
struct HealthTypePage {
    private let table: HealthTypeTable
    private var lines: [String] = []

    init(_ table: HealthTypeTable) { self.table = table }

    /// Returns the page as Markdown.
    static func text(_ table: HealthTypeTable) -> String {
        var page = HealthTypePage(table)
        page.write()
        return page.lines.joined(separator: "\n") + "\n"
    }

    private mutating func write() {
        lines.append(Self.opening)
        quantities()
        categories()
        others()
        workouts()
        metadata()
        messages()
        lines.append(Self.supplement)
    }

    private func types(_ kinds: HealthType.Kind...) -> [HealthType] { table.all.filter { kinds.contains($0.kind) } }

    private mutating func heading(_ title: String, _ text: String = "") {
        lines += ["", "## " + title, ""]
        if !text.isEmpty { lines += [text, ""] }
    }

    private mutating func rows(_ header: [String], _ rows: [[String]]) {
        lines.append("| " + header.joined(separator: " | ") + " |")
        lines.append("|" + String(repeating: "---|", count: header.count))
        for row in rows { lines.append("| " + row.joined(separator: " | ") + " |") }
    }

    // MARK: - Sections

    private mutating func quantities() {
        let all = types(.quantity)
        heading(
            "Quantities",
            """
            \(all.count) types of one number. Values are in the UCUM unit; HealthKit's unit is the one of the same size, \
            but for percent: HealthKit's `%` is the bare fraction, which is multiplied by 100. A value may come in every \
            unit that HealthKit takes for the type. *Sum* says that values of a time add up. A value outside of the \
            likely range is kept, and counted.
            """)
        var folders: [String] = []
        for type in all where !folders.contains(type.folder) { folders.append(type.folder) }
        for folder in folders {
            lines += ["### " + folder, ""]
            rows(
                ["Type", "Codes", "HealthKit unit", "UCUM", "Sum", "Likely", "Category"],
                all.filter { $0.folder == folder }.map { type in
                    [
                        Self.name(type), Self.codes(type.codings), Self.code(type.measure?.healthKitUnit.text),
                        Self.code(type.unit?.ucum), type.aggregation == .cumulative ? "yes" : "",
                        Self.range(type.measure?.plausible), type.category.rawValue,
                    ]
                })
            lines.append("")
        }
        lines.removeLast()
    }

    private mutating func categories() {
        let all = types(.category)
        heading(
            "Categories",
            """
            \(all.count) types of one case. The code of a value is HealthKit's name of the case, as exports write it; \
            numbers and former names are read too. A type without values records an event: \
            `valueBoolean` is true.
            """)
        rows(
            ["Type", "Folder", "Values", "Components", "Category"],
            all.map { type in
                [
                    Self.name(type), type.folder, type.options.map(\.display).joined(separator: "; "),
                    HealthMetadataKey.components(of: type).map(\.title).joined(separator: "; "), type.category.rawValue,
                ]
            })
    }

    private mutating func others() {
        heading(
            "Correlations and records with a structure of their own",
            """
            Routes and clinical records leave only where the study's consent names them. Clinical records are resources \
            of their own: a lab result is the hospital's Observation, an allergy its AllergyIntolerance.
            """)
        rows(
            ["Type", "Also", "Codes", "Value", "Components", "Category"],
            table.all.filter { $0.kind != .quantity && $0.kind != .category }.map { type in
                [
                    Self.name(type), type.otherNames.map { "`\($0)`" }.joined(separator: ", "),
                    Self.codes(type.codings),
                    type.valueKind.rawValue, Self.components(type), type.category.rawValue,
                ]
            })
    }

    private mutating func workouts() {
        let options = table.type("HKWorkout")?.options ?? []
        heading(
            "Workout activities", "\(options.count) kinds of workout; the code begins with `HKWorkoutActivityType`.")
        lines.append(
            options.map { "\($0.code.dropFirst("HKWorkoutActivityType".count)) (\($0.aliases.last ?? ""))" }
                .joined(separator: ", ") + ".")
        heading(
            "Workout events",
            """
            Each event of a workout is a component of its observation, up to \(HealthWorkout.partLimit): a moment has \
            `valueDateTime`, a span `valuePeriod`. Further values (the stroke style of a lap) are extensions of the \
            component. The activities of a workout that has several are components as well, with their statistics as \
            extensions, `\(HealthWorkoutPart.figurePrefix)` and the component's identifier.
            """)
        rows(
            ["Event", "Code"],
            (HealthWorkoutPart.events + [HealthWorkoutPart.activity]).map { [$0.display, Self.code($0.code)] })
    }

    private mutating func metadata() {
        heading(
            "Metadata",
            """
            Metadata of a sample are converted only if their key is in this table. `HKWasUserEntered` becomes \
            the observation's method, `HKTimeZone` its offset from UTC. All other keys are dropped: they may hold names, \
            links, identifiers or what an app wrote.
            """)
        rows(
            ["Key", "Value", "Element"],
            HealthMetadataKey.all.map { key in
                let value =
                    switch key.value {
                    case .boolean: "yes or no"
                    case .enumeration(let options):
                        options.count > 30 ? "a workout activity" : options.map(\.display).joined(separator: "; ")
                    case .quantity(let measure): "in " + Self.code(measure.unit.ucum)
                    }
                let component = key.componentOf.compactMap { table.type($0)?.title }.sorted().joined(separator: ", ")
                return [Self.code(key.key), value, component.isEmpty ? "extension" : "component of " + component]
            })
    }

    private mutating func messages() {
        heading(
            "Messages",
            """
            The types that HealthKitOnFhir sends as messages, for receivers that know those: the member of the value, the \
            unit as the message has it, and HealthKit's unit that the value is brought to.
            """)
        rows(
            ["Type", "Value", "Unit", "HealthKit unit"],
            table.all.compactMap { type in
                type.message.map {
                    [
                        Self.name(type), Self.code($0.valueKey), "\(Self.code($0.unitKey)): \($0.unit)",
                        Self.code($0.healthKitUnit.text),
                    ]
                }
            })
    }

    // MARK: - Cells

    private static func name(_ type: HealthType) -> String { "\(type.title)<br>`\(type.shortName)`" }

    private static func code(_ text: String?) -> String { text.map { "`\($0)`" } ?? "" }

    private static func codes(_ codings: [Coding]) -> String {
        let names = [
            HealthCodeSystem.loinc: "LOINC", HealthCodeSystem.snomed: "SNOMED CT", DeviceNomenclature.system: "MDC",
            HealthCodeSystem.component: "own",
        ]
        return codings.filter { $0.system != HealthCodeSystem.healthKit }.map { coding in
            "\(coding.system.flatMap { names[$0] } ?? coding.system ?? "") \(coding.code ?? "")"
        }.joined(separator: ", ")
    }

    private static func components(_ type: HealthType) -> String {
        let titles = type.components.map(\.title)
        return titles.count > 20 ? "all \(titles.count) dietary quantities" : titles.joined(separator: "; ")
    }

    private static func range(_ range: ClosedRange<Double>?) -> String {
        guard let range else { return "" }
        return "\(ExactDecimal.text(range.lowerBound)) to \(ExactDecimal.text(range.upperBound))"
    }
}
