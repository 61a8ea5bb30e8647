import Core
import FHIR
import Foundation

/// An observation that is ready to be sent, with its sample and fingerprint.
public struct HealthObservation: Sendable {
    /// The sample.
    public let sample: HealthSample
    /// The sample's fingerprint, from which the id is computed.
    public let fingerprint: SampleFingerprint
    private let frame: ObservationFrame

    /// Creates an observation from a sample.
    public init(
        _ sample: HealthSample, fingerprint: SampleFingerprint, subject: String?, units: HealthSelection.Units = .metric
    ) {
        self.init(
            sample, fingerprint: fingerprint,
            frame: ObservationFrame(subject: subject, units: units, source: sample.source))
    }

    init(_ sample: HealthSample, fingerprint: SampleFingerprint, frame: ObservationFrame) {
        self.sample = sample
        self.fingerprint = fingerprint
        self.frame = frame
    }

    /// The id of the Patient; nil omits the subject.
    public var subject: String? { frame.subject }
    /// The unit in which the value is written.
    public var units: HealthSelection.Units { frame.units }

    /// The sample's type.
    public var type: HealthType { sample.type }

    /// The id of the resource.
    public var id: String { fingerprint.resourceID(subject: subject) }

    /// The id as a UUID; in the resource it is written in lower case.
    public var uuid: UUID { fingerprint.resourceUUID(subject: subject) }

    /// The resource as JSON that can be read and changed, with the same text as ``write(to:id:)``.
    public var observation: Observation {
        var text: [UInt8] = []
        write(to: &text)
        // The text is valid JSON: tests read the observation of each type in the table.
        return Observation(JSON(reading: text)?.object ?? JSONObject())
    }

    /// Appends the JSON text of ``observation``. The text is written directly: an export has millions of samples, and
    /// nearly all text of one type is constant.
    ///
    /// - Parameter id: ``uuid``, if it is computed already.
    public func write(to output: inout [UInt8], id: UUID? = nil) {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { scratch in
            var text = TextSink(scratch, &output)
            write(to: &text, id)
            output = text.finish()
        }
    }

    private func write(to text: inout TextSink, _ id: UUID?) {
        let content = sample.content
        let type = content.type
        text.put("{\"resourceType\":\"Observation\",\"id\":\"")
        let id = id ?? uuid
        text.put(UUID.textLength) { id.writeText(to: $0, isLowercase: true) }
        var isFirst = true
        for datum in content.context.metadata where !datum.isComponent(of: type) {
            text.put(isFirst ? "\",\"extension\":[" : ",")
            isFirst = false
            datum.writeExtension(units, to: &text)
        }
        text.put(isFirst ? "\",\"identifier\":[" : "],\"identifier\":[")
        if let uuid = content.uuid {
            text.put("{\"system\":\"com.apple.health\",\"value\":\"")
            text.put(UUID.textLength) { uuid.writeText(to: $0) }
            text.put("\"},")
        }
        text.put("{\"system\":\"urn:tributary:content-hash\",\"value\":\"")
        text.put(64) { fingerprint.writeText(to: $0) }
        text.put(type.statusText)
        text.put(frame.subjectText)
        write(from: content.start, to: content.end, issued: content.created, into: &text)
        write(content.value, of: type, to: &text)
        if content.context.wasUserEntered == true {
            text.put(",\"method\":")
            text.put(HealthContext.enteredByHandText)
        }
        text.put(frame.deviceText)
        if !content.members.isEmpty {
            var isFirst = true
            for member in content.members {
                text.put(isFirst ? ",\"hasMember\":[" : ",")
                isFirst = false
                text.put("{\"reference\":\"Observation/")
                text.put(member.resourceID(subject: subject))
                text.put("\"}")
            }
            text.put("]")
        }
        writeComponents(to: &text)
        text.put("}")
    }

    private func write(
        from start: HealthInstant, to end: HealthInstant, issued created: HealthInstant?, into text: inout TextSink
    ) {
        if start.seconds == end.seconds {
            text.put(",\"effectiveDateTime\":\"")
            text.put(25) { start.writeText(to: $0) }
            text.put("\"")
        } else {
            text.put(",\"effectivePeriod\":{\"start\":\"")
            text.put(25) { start.writeText(to: $0) }
            text.put("\",\"end\":\"")
            text.put(25) { end.writeText(to: $0) }
            text.put("\"}")
        }
        guard let created else { return }
        text.put(",\"issued\":\"")
        text.put(25) { created.writeText(to: $0) }
        text.put("\"")
    }

    private func write(_ value: HealthValue, of type: HealthType, to text: inout TextSink) {
        switch value {
        case .quantity(let quantity):
            guard let measure = type.measure else { return }
            text.put(",\"valueQuantity\":")
            quantity.write(as: measure, units, to: &text)
        case .option(let option):
            text.put(",\"valueCodeableConcept\":")
            text.put(option.conceptText)
        case .event: text.put(",\"valueBoolean\":true")
        case .workout(let workout):
            text.put(",\"valueCodeableConcept\":")
            text.put(workout.activity.conceptText)
        case .bloodPressure, .components: break
        }
    }

    private func writeComponents(to text: inout TextSink) {
        var isFirst = true
        func write(_ measure: HealthMeasure, _ quantity: HealthQuantity) {
            text.put(isFirst ? ",\"component\":[{\"code\":" : ",{\"code\":")
            isFirst = false
            text.put(measure.conceptText)
            text.put(",\"valueQuantity\":")
            quantity.write(as: measure, units, to: &text)
            text.put("}")
        }
        switch sample.value {
        case .quantity, .option, .event: break
        case .bloodPressure(let systolic, let diastolic):
            for (component, quantity) in zip(sample.type.components, [systolic, diastolic]) {
                if let quantity { write(component.measure, quantity) }
            }
        case .workout(let workout):
            for component in sample.type.components {
                if let figure = workout.figures.first(where: { $0.identifier == component.identifier }) {
                    write(component.measure, figure.quantity)
                }
            }
            for part in workout.parts {
                text.put(isFirst ? ",\"component\":[" : ",")
                isFirst = false
                part.write(units, to: &text)
            }
        case .components(let members):
            for member in members { write(member.measure, member.quantity) }
        }
        for datum in sample.context.metadata where datum.isComponent(of: sample.type) {
            text.put(isFirst ? ",\"component\":[" : ",")
            isFirst = false
            datum.writeComponent(units, to: &text)
        }
        if !isFirst { text.put("]") }
    }
}

extension HealthQuantity {
    /// Whether the value has its recorded digits, in a unit of the same size.
    private var isAsGiven: Bool { unit.scale == .same }

    /// Writes a FHIR Quantity. Names and codes of units need no escapes: HealthKit's and UCUM's grammars have no
    /// character that needs one.
    func write(as measure: HealthMeasure, _ units: HealthSelection.Units, to text: inout TextSink) {
        if isAsGiven {
            text.put("{\"value\":")
            text.put(number.text)
            text.put(measure.unitText)
        } else if units == .asRecorded, unit.scale != .fraction, let code = unit.ucum {
            text.put("{\"value\":")
            text.put(written)
            text.put(",\"unit\":\"")
            text.put(unit.name)
            text.put("\",\"system\":\"http://unitsofmeasure.org\",\"code\":\"")
            text.put(code)
            text.put("\"}")
        } else {
            text.put("{\"extension\":[{\"url\":\"http://hl7.org/fhir/StructureDefinition/iso21090-PQ-translation\",")
            text.put("\"valueQuantity\":{\"value\":")
            text.put(written)
            text.put(",\"unit\":\"")
            text.put(unit.name)
            text.put("\",\"system\":\"http://developer.apple.com/documentation/healthkit\",\"code\":\"")
            text.put(unit.name)
            text.put("\"}}],\"value\":")
            text.put(number.text)
            text.put(measure.unitText)
        }
    }
}
