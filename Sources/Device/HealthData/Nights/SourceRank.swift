/// The place of a sample's source in the order in which sources are believed.
///
/// Where several sources measured the same time, the first of them counts for it and the others do not:
///
/// 1. what the person typed in, whatever it was typed into: one source;
/// 2. the watch, which is worn when the phone lies on the table;
/// 3. the phone;
/// 4. everything else: iPad, iPod touch, AirPods, Apple Vision Pro, then other makers' apps and devices.
///
/// Sources of one kind are ordered by their version, the newer first, as the newer of two phones is the one in use. Two
/// apps or devices of one version are two sources where their names or models differ (``HealthSource/origin``), in an
/// order that is the same each time.
public struct SourceRank: Sendable, Hashable, Comparable {
    /// The kinds of source, the most believed first.
    public enum Level: Int, Sendable, CaseIterable, Comparable {
        /// A person entered it.
        case enteredByHand
        /// A watch recorded it.
        case watch
        /// A phone recorded it.
        case phone
        /// Something else recorded it.
        case other

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The level; samples of an earlier one count first.
    public let level: Level
    /// The kind of product; nil for what was typed in.
    public let product: HealthProduct?
    /// Empty where it is not known, and for what was typed in.
    public let version: String
    /// ``HealthSource/origin``; 0 where it is not known, and for what was typed in.
    let origin: UInt64

    /// The rank of a sample's source.
    public init(_ sample: HealthSample) {
        self.init(
            sample.source.product, version: sample.source.version,
            isEnteredByHand: sample.context.wasUserEntered == true, origin: sample.source.origin)
    }

    /// Makes the rank of a product.
    public init(_ product: HealthProduct, version: String = "", isEnteredByHand: Bool = false) {
        self.init(product, version: version, isEnteredByHand: isEnteredByHand, origin: 0)
    }

    private init(_ product: HealthProduct, version: String, isEnteredByHand: Bool, origin: UInt64) {
        guard !isEnteredByHand else {
            level = .enteredByHand
            self.product = nil
            self.version = ""
            self.origin = 0
            return
        }
        level =
            switch product {
            case .appleWatch: .watch
            case .iPhone: .phone
            default: .other
            }
        self.product = product
        self.version = version
        self.origin = origin
    }

    /// The rank that stands for all sources of the product, where too many are met; nil where this is that rank.
    package var ofProduct: SourceRank? {
        guard let product, !version.isEmpty || origin != 0 else { return nil }
        return SourceRank(product)
    }

    /// The kind of product in words.
    public var title: String {
        guard let product else { return "Entered by hand" }
        return product == .app ? "Other apps and devices" : product.rawValue
    }

    /// Whether the left one is believed before the right one.
    public static func < (left: SourceRank, right: SourceRank) -> Bool {
        if left.level != right.level { return left.level < right.level }
        if left.product != right.product { return place(of: left.product) < place(of: right.product) }
        let (newer, older) = (numbers(of: left.version), numbers(of: right.version))
        if newer != older { return older.lexicographicallyPrecedes(newer) }
        if left.version != right.version { return right.version < left.version }
        return left.origin < right.origin
    }

    private static func place(of product: HealthProduct?) -> Int {
        product.flatMap { HealthProduct.allCases.firstIndex(of: $0) } ?? HealthProduct.allCases.count
    }

    /// The parts of a version. One that is too long for a number counts as the greatest.
    private static func numbers(of version: String) -> [Int] {
        version.split(separator: ".").map { Int($0) ?? .max }
    }
}
