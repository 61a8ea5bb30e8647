import Foundation

/// Removes names before a sample is created.
///
/// People choose the names of sources and devices ("Robin’s iPhone"), and apps attach arbitrary data (user numbers,
/// links). Only the following passes: the kind of product, a version in the form of one, and metadata from a list with
/// checked values (``HealthContext``).
public enum Redaction {
    /// Returns the kind of product of a source name and HealthKit's device text.
    ///
    /// The device's `hardware` (`Watch2,4`) and `model` are more reliable than the name. Without a device, the source
    /// name is searched for the words of Apple's default names. Everything else is an app.
    public static func product(sourceName: String, device: String?) -> HealthProduct {
        var name = sourceName
        var text = device ?? ""
        return name.withUTF8 { name in text.withUTF8 { product(sourceName: name, device: $0) } }
    }

    /// Returns the kind of product for bytes of UTF-8.
    public static func product(
        sourceName: UnsafeBufferPointer<UInt8>, device: UnsafeBufferPointer<UInt8>
    ) -> HealthProduct {
        if !device.isEmpty {
            for field in deviceFields {
                if let start = end(of: field, in: device), let product = hardware(device, from: start) {
                    return product
                }
            }
        }
        for (word, product) in words where end(of: word, in: sourceName) != nil { return product }
        return .app
    }

    /// Returns the kind of product of a hardware string such as HealthKit's `productType`.
    public static func product(hardware text: String) -> HealthProduct? {
        var text = text
        return text.withUTF8 { hardware($0, from: 0) }
    }

    /// Returns the text if it has the form of a version (`10.3.1`, `2160040`), otherwise an empty text.
    public static func version(_ text: String) -> String {
        guard let first = text.utf8.first, isDigit(first), text.utf8.count <= 24,
            text.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") })
        else { return "" }
        return text
    }

    /// Returns the name of a known maker of devices in canonical spelling, independent of legal form, case and spaces;
    /// nil for all other texts.
    public static func manufacturer(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        var words = text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "&" }.map(String.init)
        while words.count > 1, let last = words.last, legalForms.contains(last) { words.removeLast() }
        return manufacturers[words.joined(separator: " ")]
    }

    static let apple = "Apple"

    /// Makers as HealthKit's devices name them. Any other text could identify a person.
    private static let manufacturers: [String: String] = {
        let names = [
            apple, "Withings", "Polar", "Garmin", "Fitbit", "OMRON", "Beurer", "Dexcom", "Abbott", "Medtronic", "Roche",
            "Ascensia", "LifeScan", "Oura", "WHOOP", "Suunto", "Wahoo", "Nokia", "Samsung", "Xiaomi", "Huawei",
            "Masimo",
            "Nonin", "A&D Medical", "Qardio", "iHealth", "Kinsa", "Eight Sleep", "Zwift", "Peloton", "COROS", "Amazfit",
            "Eufy", "RENPHO", "Tanita",
        ]
        let others = [
            "polar electro": "Polar", "omron healthcare": "OMRON", "wahoo fitness": "Wahoo", "qardioarm": "Qardio",
        ]
        return names.reduce(into: others) { $0[$1.lowercased()] = $1 }
    }()

    private static let legalForms: Set = ["inc", "ltd", "llc", "gmbh", "oy", "ag", "sa", "co", "corp", "corporation"]

    /// Returns Apple's name of a model (`Watch2,4`, `iPhone14,5`); nil for all other texts, because other makers' texts
    /// can contain anything.
    public static func hardware(_ text: String) -> String? {
        let text = text.filter { !$0.isWhitespace }
        guard text.utf8.count <= 24, product(hardware: text) != nil else { return nil }
        let letters = text.utf8.prefix { !isDigit($0) }
        let rest = text.utf8.dropFirst(letters.count)
        guard letters.count <= 14, letters.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }),
            hardwarePrefixes.contains(where: { letters.elementsEqual($0.0.text.utf8) }), !rest.isEmpty,
            rest.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ",") })
        else { return nil }
        return text
    }

    /// Creates the device, without its names, from HealthKit's text
    /// `<<HKDevice: 0x1>, name:Apple Watch, manufacturer:Apple, ...>`.
    public static func device(_ text: String, product: HealthProduct) -> HealthDevice? {
        guard !text.isEmpty else { return nil }
        func field(_ name: String) -> String? {
            guard let start = text.range(of: ", " + name + ":")?.upperBound else { return nil }
            // A value can contain commas: it ends where the next field begins.
            let rest = text[start...]
            let end = fields.compactMap { rest.range(of: ", " + $0 + ":")?.lowerBound }.min() ?? rest.endIndex
            return String(rest[..<end].drop { $0 == " " }.prefix(64)).trimmingSuffix(">")
        }
        let maker = field("manufacturer")
        // A strap that is paired with a watch is not a watch.
        let isApples = maker.map { manufacturer($0) == apple } ?? true
        return HealthDevice(product: isApples ? product : .app, manufacturer: maker, hardware: field("hardware"))
    }

    private static let fields = [
        "name", "manufacturer", "model", "hardware", "firmware", "software", "localIdentifier", "UDIDeviceIdentifier",
        "creation date",
    ]

    private static let deviceFields: [StaticString] = [", hardware:", ", model:"]

    private static let hardwarePrefixes: [(StaticString, HealthProduct)] = [
        ("Watch", .appleWatch), ("iPhone", .iPhone), ("iPad", .iPad), ("iPod", .iPod), ("AirPods", .airPods),
        ("RealityDevice", .visionPro),
    ]

    /// Apple's names contain a no-break space in some languages.
    private static let words: [(StaticString, HealthProduct)] = [
        ("Apple Watch", .appleWatch), ("Apple\u{A0}Watch", .appleWatch), ("iPhone", .iPhone), ("iPad", .iPad),
        ("iPod", .iPod), ("AirPods", .airPods),
    ]

    private static func hardware(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> HealthProduct? {
        for (prefix, product) in hardwarePrefixes where starts(text, with: prefix, at: start) { return product }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func starts(_ text: UnsafeBufferPointer<UInt8>, with word: StaticString, at start: Int) -> Bool {
        let count = word.utf8CodeUnitCount
        guard start + count <= text.count else { return false }
        for index in 0..<count where text[start + index] != word.utf8Start[index] { return false }
        return true
    }

    /// Returns the index after the first occurrence.
    private static func end(of word: StaticString, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        let count = word.utf8CodeUnitCount
        guard text.count >= count else { return nil }
        let first = word.utf8Start[0]
        for index in 0...(text.count - count) where text[index] == first && starts(text, with: word, at: index) {
            return index + count
        }
        return nil
    }
}

extension StaticString {
    fileprivate var text: String { withUTF8Buffer { String(decoding: $0, as: UTF8.self) } }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
