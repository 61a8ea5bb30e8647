import FHIR

/// A prescription of glasses or contact lenses: HealthKit's HKVisionPrescription.
///
/// It is converted to an Observation: FHIR's VisionPrescription requires the prescriber, which HealthKit does not have.
/// The brand and the picture of the prescription are omitted.
public struct VisionPrescription: SpecialRecord {
    /// The purpose of a prescription.
    public enum Purpose: Int, Sendable, CaseIterable {
        /// Glasses.
        case glasses = 1
        /// Contact lenses.
        case contacts
    }

    /// One of the two eyes.
    public enum Eye: String, Sendable, CaseIterable {
        /// The right eye.
        case right
        /// The left eye.
        case left
    }

    /// A prescribed value of a lens. The raw value is the name of HealthKit's property.
    public enum Figure: String, Sendable, CaseIterable {
        /// The power of the sphere.
        case sphere
        /// The power of the cylinder.
        case cylinder
        /// The angle of the cylinder.
        case axis
        /// The additional power for near vision.
        case addPower
        /// The distance from the eye to the lens.
        case vertexDistance
        /// The power of the prism.
        case prismAmount
        /// The angle of the prism.
        case prismAngle
        /// The distance from the nose to the pupil for far vision.
        case farPupillaryDistance
        /// The distance from the nose to the pupil for near vision.
        case nearPupillaryDistance
        /// The curve of the back of a contact lens.
        case baseCurve
        /// The diameter of a contact lens.
        case diameter
    }

    /// The lens of one eye.
    public struct Lens: Sendable, Hashable {
        /// The prescribed values.
        public private(set) var figures: [Figure: SpecialQuantity] = [:]

        /// Creates a lens without values.
        public init() {}

        /// The quantity of a value; nil if it is not prescribed.
        public subscript(figure: Figure) -> SpecialQuantity? {
            get { figures[figure] }
            set { figures[figure] = newValue }
        }

        /// Whether nothing is prescribed.
        public var isEmpty: Bool { figures.isEmpty }
    }

    /// The day of issue.
    public var issued: SpecialTime
    /// The last valid day, if there is one.
    public var expires: SpecialTime?
    /// The purpose, if it is known.
    public var purpose: Purpose?
    /// The lens of the right eye.
    public var right: Lens
    /// The lens of the left eye.
    public var left: Lens
    public var origin: SpecialOrigin

    /// - Returns: nil if neither eye has a value.
    public init?(
        issued: SpecialTime, expires: SpecialTime? = nil, purpose: Purpose?, right: Lens, left: Lens,
        origin: SpecialOrigin
    ) {
        guard !right.isEmpty || !left.isEmpty else { return nil }
        self.issued = issued
        self.expires = expires
        self.purpose = purpose
        self.right = right
        self.left = left
        self.origin = origin
    }

    public var kind: SpecialKind { .visionPrescription }
    public var time: SpecialTime { issued }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        content.add(purpose?.rawValue)
        content.add(expires?.text)
        for lens in [right, left] {
            for figure in Figure.allCases { content.add(lens[figure]) }
        }
        return content.fingerprint
    }

    /// The repairs that were made to read the values.
    public var repairs: Repairs {
        [right, left].flatMap { $0.figures.values }.reduce(into: Repairs()) { $0.formUnion($1.repairs) }
    }

    /// Returns the observation: the purpose is the value, and each value of each eye is a component.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        if let purpose { parts.value = ("CodeableConcept", purpose.option.coded) }
        for (eye, lens) in [(Eye.right, right), (.left, left)] {
            for figure in Figure.allCases { parts.add(figure.code(eye), lens[figure]) }
        }
        if let expires = expires?.text {
            parts.add(
                ComponentCode.healthKit("HKVisionPrescription.expirationDate", "Expiration Date"), type: "DateTime",
                value: .string(expires))
        }
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }
}

extension VisionPrescription.Purpose {
    /// HealthKit's case with its display text.
    public var option: HealthOption {
        switch self {
        case .glasses: HealthOption("HKVisionPrescriptionTypeGlasses", "Glasses", aliases: ["1"])
        case .contacts: HealthOption("HKVisionPrescriptionTypeContacts", "Contact lenses", aliases: ["2"])
        }
    }
}

extension VisionPrescription.Figure {
    /// The unit of the value, with the units that it is converted from.
    public var measure: SpecialMeasure {
        switch self {
        case .sphere, .cylinder, .addPower: .dioptre
        case .axis, .prismAngle: .angle
        case .prismAmount: .prismDioptre
        case .vertexDistance, .farPupillaryDistance, .nearPupillaryDistance, .baseCurve, .diameter: .millimetre
        }
    }

    /// The name of the attribute in an export.
    public var exportName: String {
        switch self {
        case .addPower: "add"
        case .vertexDistance: "vertex"
        case .farPupillaryDistance: "farPD"
        case .nearPupillaryDistance: "nearPD"
        default: rawValue
        }
    }

    private var words: String {
        switch self {
        case .sphere: "sphere"
        case .cylinder: "cylinder"
        case .axis: "axis"
        case .addPower: "add power"
        case .vertexDistance: "vertex distance"
        case .prismAmount: "prism amount"
        case .prismAngle: "prism angle"
        case .farPupillaryDistance: "far pupillary distance"
        case .nearPupillaryDistance: "near pupillary distance"
        case .baseCurve: "base curve"
        case .diameter: "diameter"
        }
    }

    /// The HealthKit class of the property.
    private var owner: String {
        switch self {
        case .baseCurve, .diameter: "HKContactsLensSpecification"
        case .vertexDistance, .farPupillaryDistance, .nearPupillaryDistance: "HKGlassesLensSpecification"
        case .prismAmount, .prismAngle: "HKVisionPrism"
        case .sphere, .cylinder, .axis, .addPower: "HKLensSpecification"
        }
    }

    func code(_ eye: VisionPrescription.Eye) -> JSON {
        let side = eye == .right ? "Right" : "Left"
        return ComponentCode.own(
            "vision-\(eye.rawValue)-" + words.replacing(" ", with: "-"), "\(side) eye, \(words)",
            healthKit: owner + "." + property, healthKitTitle: words.prefix(1).uppercased() + words.dropFirst())
    }

    private var property: String {
        switch self {
        case .prismAmount: "amount"
        case .prismAngle: "angle"
        default: rawValue
        }
    }
}
