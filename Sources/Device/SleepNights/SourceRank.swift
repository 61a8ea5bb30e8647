import HealthData

/// The rank of a sample's source in the order of source priority.
///
/// If several sources measured the same time, only the first of them is used for it:
///
/// 1. values that the person entered by hand in any app: one source;
/// 2. the watch, because it is worn while the phone lies on the table;
/// 3. the phone;
/// 4. everything else: iPad, iPod touch, AirPods, Apple Vision Pro, then other makers' apps and devices.
///
/// Sources of one kind are ordered by their version, the newer first, because the newer of two phones is the one in
/// use. Two apps or devices of one version are two sources if their names or models differ (``HealthSource/origin``),
/// in an order that is always the same.
public struct SourceRank: Sendable, Hashable, Comparable {
    /// The kinds of source, in descending priority.
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

    /// The level; samples of an earlier level have priority.
    public let level: Level
    /// The kind of product; nil for values entered by hand.
    public let product: HealthProduct?
    /// The version; empty if it is unknown, and for values entered by hand.
    public let version: String
    /// ``HealthSource/origin``; 0 if it is unknown, and for values entered by hand.
    let origin: UInt64

    /// Creates the rank of a sample's source.
    public init(_ sample: HealthSample) {
        self.init(
            sample.source.product, version: sample.source.version,
            isEnteredByHand: sample.context.wasUserEntered == true, origin: sample.source.origin)
    }

    /// Creates the rank of a product.
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

    /// The rank for all sources of the product, used if there are too many sources; nil if this is that rank.
    package var ofProduct: SourceRank? {
        guard let product, !version.isEmpty || origin != 0 else { return nil }
        return SourceRank(product)
    }

    /// The kind of product, shown to people.
    public var title: String {
        guard let product else { return "Entered by hand" }
        return product == .app ? "Other apps and devices" : product.rawValue
    }

    /// Returns whether the left source has priority over the right one.
    public static func < (left: SourceRank, right: SourceRank) -> Bool {
        if left.level != right.level { return left.level < right.level }
        if left.product != right.product { return index(of: left.product) < index(of: right.product) }
        let (newer, older) = (numbers(of: left.version), numbers(of: right.version))
        if newer != older { return older.lexicographicallyPrecedes(newer) }
        if left.version != right.version { return right.version < left.version }
        return left.origin < right.origin
    }

    private static func index(of product: HealthProduct?) -> Int {
        product.flatMap { HealthProduct.allCases.firstIndex(of: $0) } ?? HealthProduct.allCases.count
    }

    /// Returns the parts of a version. A part that is too long for a number is treated as the greatest number.
    private static func numbers(of version: String) -> [Int] {
        version.split(separator: ".").map { Int($0) ?? .max }
    }
}
