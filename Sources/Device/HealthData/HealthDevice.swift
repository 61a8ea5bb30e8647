import FHIR

/// A measuring device, identified without a name: one value for one real device, independent of its system version.
public struct HealthDevice: Sendable, Hashable {
    public let product: HealthProduct
    /// The maker, if it is a known one; nil for others, because the text could contain anything.
    public let manufacturer: String?
    /// The maker's model name: `Watch2,4`.
    public let hardware: String?

    /// - Parameters:
    ///   - manufacturer: kept if it is the name of a known maker, in canonical spelling.
    ///   - hardware: kept if it is Apple's name of a model. The model then determines product and maker, because
    ///     samples of one device give these in several forms or not at all.
    public init(product: HealthProduct, manufacturer: String? = nil, hardware: String? = nil) {
        self.hardware = hardware.flatMap(Redaction.hardware)
        self.product = self.hardware.flatMap(Redaction.product(hardware:)) ?? product
        self.manufacturer = self.hardware == nil ? manufacturer.flatMap(Redaction.manufacturer) : Redaction.apple
    }

    /// The bytes from which the resource's id is computed.
    private var content: [UInt8] {
        Array("device\u{0}\(product.rawValue)\u{0}\(manufacturer ?? "")\u{0}\(hardware ?? "")".utf8)
    }

    /// The id of the Device resource: a UUID computed from the subject and the device, always the same.
    public func resourceID(subject: String?) -> String {
        SampleFingerprint(of: content).resourceID(subject: subject)
    }

    /// `Observation.device`.
    public func reference(subject: String?) -> JSON {
        ["reference": .string("Device/" + resourceID(subject: subject)), "display": .string(product.rawValue)]
    }

    /// The Device resource (<https://hl7.org/fhir/R4/device.html>).
    ///
    /// - Parameter subject: the id of the Patient who wears or owns the device; nil omits the patient.
    public func resource(subject: String?) -> JSON {
        var device = Device(id: resourceID(subject: subject))
        device.status = .active
        device.manufacturer = manufacturer
        device.deviceName = [Device.DeviceName(name: product.rawValue, type: .modelName)]
        device.modelNumber = hardware
        device.patient = subject.map { Reference("Patient/" + $0) }
        return device.json
    }
}
