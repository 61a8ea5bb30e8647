import FHIR

/// A device that measured, as far as it can be told without a name: one value for one real device, whatever system runs
/// on it at the time.
public struct HealthDevice: Sendable, Hashable {
    public let product: HealthProduct
    /// The maker, of those that are known; nil for others, as anything may stand there.
    public let manufacturer: String?
    /// The maker's name of the model: `Watch2,4`.
    public let hardware: String?

    /// - Parameters:
    ///   - manufacturer: kept where it is a known maker's name, in one spelling.
    ///   - hardware: kept where it is Apple's name of a model, which then says product and maker: samples of one device
    ///     name them in several ways, or not at all.
    public init(product: HealthProduct, manufacturer: String? = nil, hardware: String? = nil) {
        self.hardware = hardware.flatMap(Redaction.hardware)
        self.product = self.hardware.flatMap(Redaction.product(hardware:)) ?? product
        self.manufacturer = self.hardware == nil ? manufacturer.flatMap(Redaction.manufacturer) : Redaction.apple
    }

    /// The bytes from which the resource's id is made.
    private var content: [UInt8] {
        Array("device\u{0}\(product.rawValue)\u{0}\(manufacturer ?? "")\u{0}\(hardware ?? "")".utf8)
    }

    /// The id of the Device resource: a UUID from the subject and the device, the same however often it is sent.
    public func resourceID(subject: String?) -> String {
        SampleFingerprint(of: content).resourceID(subject: subject)
    }

    /// `Observation.device`.
    public func reference(subject: String?) -> JSON {
        ["reference": .string("Device/" + resourceID(subject: subject)), "display": .string(product.rawValue)]
    }

    /// The Device resource (<https://hl7.org/fhir/R4/device.html>).
    ///
    /// - Parameter subject: the id of the Patient who wears or owns it; nil leaves the patient out.
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
