import FHIR
import UCUM

/// The unit of a Quantity in its original form: a code, a text, or both
/// (<https://hl7.org/fhir/R4/datatypes.html#Quantity>).
public struct QuantityUnit: Sendable, Hashable {
    /// The code, if its system is UCUM or is missing.
    public let code: String?
    /// The text of the unit.
    public let text: String?
    /// The code in any other system.
    private let foreignCode: String?

    /// The unit of a quantity.
    public init(_ quantity: Quantity) {
        let isUCUM = quantity.system == nil || quantity.system == HealthMeasure.ucum
        code = isUCUM ? quantity.code.flatMap(Self.filled) : nil
        foreignCode = isUCUM ? nil : quantity.code.flatMap(Self.filled)
        text = quantity.unit.flatMap(Self.filled)
    }

    /// Creates a unit from its text alone.
    public init(text: String) {
        (code, foreignCode) = (nil, nil)
        self.text = Self.filled(text)
    }

    private static func filled(_ text: String) -> String? { text.isEmpty ? nil : text }

    /// The unit as it is shown to people; nil for a quantity without a unit.
    public var shown: String? { code ?? text ?? foreignCode }

    /// The UCUM code of the unit; nil for a unit that cannot be parsed.
    ///
    /// A valid UCUM code takes precedence over the text. Otherwise the text is parsed.
    ///
    /// - Parameter target: the UCUM code of a unit of the measured quantity, if it is known.
    public func ucum(measuring target: String? = nil) -> String? {
        if let code {
            if UCUMUnit.isValid(code) {
                // A code such as `C` for a temperature is a spelling of degree Celsius, not UCUM's coulomb.
                return target.flatMap { UnitText.ucum(code, measuring: $0) } ?? code
            }
            if let read = Self.read(code, target) { return read }
        }
        return [text, foreignCode].lazy.compactMap { $0 }.filter { !UnitText.isAmbiguous($0) }
            .compactMap { Self.read($0, target) }.first
    }

    private static func read(_ text: String, _ target: String?) -> String? {
        target.flatMap { UnitText.ucum(text, measuring: $0) } ?? (target == nil ? UnitText.ucum(text) : nil)
    }
}
