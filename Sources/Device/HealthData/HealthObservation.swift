import FHIR

/// An observation that is ready to be sent, with what it was made of.
public struct HealthObservation: Sendable {
    public let sample: HealthSample
    public let identity: SampleIdentity
    /// The id of the Patient; nil leaves the subject out.
    public let subject: String?

    public init(_ sample: HealthSample, identity: SampleIdentity, subject: String?) {
        self.sample = sample
        self.identity = identity
        self.subject = subject
    }

    public var type: HealthType { sample.type }

    /// The id of the resource.
    public var id: String { identity.resourceID(subject: subject) }

    /// The resource as JSON that can be looked into and changed.
    public var observation: Observation { sample.observation(subject: subject, identity: identity) }

    /// Appends the JSON text of ``observation``, byte for byte, without making the JSON first: an export has millions of
    /// samples, and most of the text of one type is always the same.
    public func write(to output: inout [UInt8]) {
        output.append("{\"resourceType\":\"Observation\",\"id\":\"")
        output.append(id)
        let extensions = sample.context.extensions
        if !extensions.isEmpty {
            output.append("\",\"extension\":")
            JSON.array(extensions).write(to: &output)
            output.append(",\"identifier\":[")
        } else {
            output.append("\",\"identifier\":[")
        }
        if let uuid = sample.uuid {
            output.append("{\"system\":\"com.apple.health\",\"value\":\"")
            output.append(uuid.uuidString)
            output.append("\"},")
        }
        output.append("{\"system\":\"urn:tributary:content-hash\",\"value\":\"")
        output.append(identity.text)
        output.append("\"}],\"status\":\"final\",\"category\":")
        output.append(contentsOf: sample.type.categoryText)
        output.append(",\"code\":")
        output.append(contentsOf: sample.type.conceptText)
        if let subject {
            output.append(",\"subject\":{\"reference\":")
            JSON.string("Patient/" + subject).write(to: &output)
            output.append("}")
        }
        writeTimes(to: &output)
        writeValue(to: &output)
        if sample.context.wasUserEntered == true {
            output.append(",\"method\":")
            HealthContext.enteredByHand.write(to: &output)
        }
        output.append(",\"device\":{\"display\":\"")
        output.append(sample.source.product.rawValue)
        output.append("\"}")
        writeComponents(to: &output)
        output.append("}")
    }

    private func writeTimes(to output: inout [UInt8]) {
        if sample.start.seconds == sample.end.seconds {
            output.append(",\"effectiveDateTime\":\"")
            output.append(sample.start.text)
            output.append("\"")
        } else {
            output.append(",\"effectivePeriod\":{\"start\":\"")
            output.append(sample.start.text)
            output.append("\",\"end\":\"")
            output.append(sample.end.text)
            output.append("\"}")
        }
        guard let created = sample.created else { return }
        output.append(",\"issued\":\"")
        output.append(created.text)
        output.append("\"")
    }

    private func writeValue(to output: inout [UInt8]) {
        switch sample.value {
        case .quantity(let quantity):
            guard let measure = sample.type.measure else { return }
            output.append(",\"valueQuantity\":")
            measure.write(quantity.number, to: &output)
        case .option(let option): write(option, to: &output)
        case .workout(let workout): write(workout.activity, to: &output)
        case .bloodPressure: break
        }
    }

    private func write(_ option: HealthOption, to output: inout [UInt8]) {
        output.append(",\"valueCodeableConcept\":")
        option.concept.write(to: &output)
    }

    private func writeComponents(to output: inout [UInt8]) {
        var isFirst = true
        func write(_ component: HealthComponent, _ quantity: HealthQuantity) {
            let opening: StaticString = isFirst ? ",\"component\":[{\"code\":" : ",{\"code\":"
            output.append(opening)
            isFirst = false
            output.append(contentsOf: component.measure.conceptText)
            output.append(",\"valueQuantity\":")
            component.measure.write(quantity.number, to: &output)
            output.append("}")
        }
        switch sample.value {
        case .quantity, .option: return
        case .bloodPressure(let systolic, let diastolic):
            for (component, quantity) in zip(sample.type.components, [systolic, diastolic]) {
                if let quantity { write(component, quantity) }
            }
        case .workout(let workout):
            for component in sample.type.components {
                if let figure = workout.figures.first(where: { $0.identifier == component.identifier }) {
                    write(component, figure.quantity)
                }
            }
        }
        if !isFirst { output.append("]") }
    }
}

extension [UInt8] {
    /// Appends text that needs no escapes.
    fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }

    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension HealthMeasure {
    fileprivate func write(_ number: JSONNumber, to output: inout [UInt8]) {
        output.append("{\"value\":")
        output.append(number.text)
        output.append(contentsOf: unitText)
    }
}
