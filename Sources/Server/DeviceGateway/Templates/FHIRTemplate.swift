import Core
import FHIR

/// A template that defines the Observation that readings of a type become.
struct FHIRTemplate: Sendable {
    /// The rule that groups readings into Observations.
    enum Period: Sendable, Hashable {
        /// Each reading is one Observation.
        case single
        /// The readings with one correlation id.
        case correlation
        case hour
        case day

        /// Returns the first and the last tick of the window that contains a time; nil if the readings themselves
        /// define it.
        func window(of time: MeasurementTime) -> ClosedRange<MeasurementTime>? {
            let hour = 3_600 * MeasurementTime.perSecond
            let length: Int64
            switch self {
            case .single, .correlation: return nil
            case .hour: length = hour
            case .day: length = 24 * hour
            }
            let start = time.ticks - time.ticks.flooredDivision(by: length).remainder
            return MeasurementTime(ticks: start)...MeasurementTime(ticks: start + length - 1)
        }
    }

    /// The FHIR type that a value becomes.
    enum Kind: Sendable {
        /// - Parameter period: the time between two values, in ticks.
        case sampled(period: Int64, unit: String?)
        case quantity(unit: String?, system: String?, code: String?)
        case string
        /// The same concept for each value.
        case concept(JSON)
    }

    struct Value: Sendable {
        let name: String
        let kind: Kind
    }

    struct Component: Sendable {
        let codings: [JSON]
        let value: Value
    }

    let typeName: String
    let period: Period
    let category: [JSON]
    let codings: [JSON]
    let value: Value?
    let components: [Component]

    /// Maximum values of one Observation: one per second of a day.
    static let maximumValues: Int64 = 86_400

    init(kind: TemplateValue, _ body: TemplateValue) throws(TemplateError) {
        guard try kind.text() == "CodeValueFhir" else {
            throw kind.error(.kindUnknown, "The only known kind of FHIR template is CodeValueFhir.")
        }
        typeName = try body.required("typeName").text()
        period =
            try body["periodInterval"].map { interval throws(TemplateError) in
                switch try interval.whole() {
                case -1: Period.correlation
                case 0: Period.single
                case 60: Period.hour
                case 1440: Period.day
                default: throw interval.error(.valueInvalid, "A periodInterval is -1, 0, 60 or 1440.")
                }
            } ?? .single
        var category: [JSON] = []
        for element in try body["category"]?.elements() ?? [] { category.append(try Self.concept(element)) }
        self.category = category
        codings = try Self.codings(body["codes"])
        let period = period
        value = try body["value"].map { value throws(TemplateError) in try Self.value(value, period) }
        var components: [Component] = []
        for element in try body["components"]?.elements() ?? [] {
            components.append(
                Component(
                    codings: try Self.codings(element["codes"]),
                    value: try Self.value(element.required("value"), period)))
        }
        self.components = components
        guard value != nil || !components.isEmpty else {
            throw TemplateError(.memberMissing, at: body.path, reason: "A template has a value or components.")
        }
    }

    private static func value(_ value: TemplateValue, _ period: Period) throws(TemplateError) -> Value {
        func text(_ name: String) throws(TemplateError) -> String? {
            guard let member = value[name], member.json != .string("") else { return nil }
            return try member.text()
        }
        let name = try value.required("valueName").text()
        let kind = try value.required("valueType")
        switch try kind.text() {
        case "SampledData":
            let defaultPeriod = try value.required("defaultPeriod")
            let length = Int64(try defaultPeriod.whole())
            let window: Int64 = period == .day ? 86_400_000 : 3_600_000
            guard length > 0, length <= 86_400_000, window / length <= maximumValues else {
                throw defaultPeriod.error(
                    .valueInvalid, "A period is in milliseconds, and a window has at most \(maximumValues) of them.")
            }
            return Value(
                name: name,
                kind: .sampled(period: length * MeasurementTime.perMillisecond, unit: try text("unit")))
        case "Quantity":
            return Value(
                name: name,
                kind: .quantity(unit: try text("unit"), system: try text("system"), code: try text("code")))
        case "String": return Value(name: name, kind: .string)
        case "CodeableConcept": return Value(name: name, kind: .concept(try concept(value)))
        default: throw kind.error(.kindUnknown, "A value is SampledData, Quantity, String or CodeableConcept.")
        }
    }

    private static func concept(_ value: TemplateValue) throws(TemplateError) -> JSON {
        var members: [JSONObject.Member] = []
        let codings = try codings(value["codes"])
        if !codings.isEmpty { members.append(.init(key: "coding", value: .array(codings))) }
        if let text = value["text"] { members.append(.init(key: "text", value: .string(try text.text()))) }
        return .object(JSONObject(keepingFirst: members))
    }

    private static func codings(_ value: TemplateValue?) throws(TemplateError) -> [JSON] {
        var codings: [JSON] = []
        for element in try value?.elements() ?? [] {
            var members: [JSONObject.Member] = []
            for name in ["system", "code", "display"] {
                guard let member = element[name], member.json != .string("") else { continue }
                let text = try member.text()
                // The templates of HealthKitOnFhir use a system for HealthKit that is not a URI.
                members.append(
                    .init(key: name, value: .string(text == "com.apple.health" ? CodeSystemURL.healthKit : text)))
            }
            guard members.contains(where: { $0.key == "code" }) else {
                throw TemplateError(.memberMissing, at: element.path, reason: "A coding has a code.")
            }
            codings.append(.object(JSONObject(keepingFirst: members)))
        }
        return codings
    }
}

/// The FHIR templates of a study: `fhirmapping.json`.
package struct FHIRTemplates: Sendable {
    private let templates: [String: FHIRTemplate]

    /// - Throws: the error with its path. Nothing is used of a file with an error.
    package init(_ json: JSON) throws(TemplateError) {
        var templates: [String: FHIRTemplate] = [:]
        for (kind, body) in try TemplateCollection(json, kind: "CollectionFhir").templates {
            let template = try FHIRTemplate(kind: kind, body)
            guard templates.updateValue(template, forKey: template.typeName.lowercased()) == nil else {
                throw TemplateError(
                    .typeRepeated, at: body.path, reason: "Another template has the type name \(template.typeName) too."
                )
            }
        }
        self.templates = templates
    }

    /// Returns the template of a type, ignoring case; nil if there is none.
    func template(_ type: String) -> FHIRTemplate? { templates[type.lowercased()] }
}
