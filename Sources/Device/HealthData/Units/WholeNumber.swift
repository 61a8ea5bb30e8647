/// A natural number of any size, for the factors between units: a power of a pound or an inch soon has more digits
/// than a machine word. ``HealthKitUnit``'s limits keep it small.
struct WholeNumber: Sendable, Hashable {
    /// The digits to the base 2^32, lowest first; the last one is never zero, and zero has none.
    private(set) var limbs: [UInt32]

    static let zero = WholeNumber(limbs: [])
    static let one = WholeNumber(1)

    init(_ word: UInt64) {
        self.init(limbs: [UInt32(truncatingIfNeeded: word), UInt32(truncatingIfNeeded: word >> 32)])
    }

    private init(limbs: [UInt32]) {
        var limbs = limbs
        while limbs.last == 0 { limbs.removeLast() }
        self.limbs = limbs
    }

    /// The number that ASCII digits say; nil where there are none or something else stands among them.
    init?(digits: some Sequence<UInt8>) {
        var word: UInt64 = 0
        var scale: UInt64 = 1
        var number = WholeNumber.zero
        var isEmpty = true
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            isEmpty = false
            word = word * 10 + UInt64(byte - UInt8(ascii: "0"))
            scale *= 10
            if scale == Self.billion {
                number = number * WholeNumber(scale) + WholeNumber(word)
                (word, scale) = (0, 1)
            }
        }
        guard !isEmpty else { return nil }
        self = scale == 1 ? number : number * WholeNumber(scale) + WholeNumber(word)
    }

    private static let billion: UInt64 = 1_000_000_000

    var isZero: Bool { limbs.isEmpty }
    var isOne: Bool { limbs == [1] }
    var isEven: Bool { limbs.first.map { $0 & 1 == 0 } ?? true }

    /// The number in one word; nil where it needs more.
    var word: UInt64? {
        switch limbs.count {
        case 0: 0
        case 1: UInt64(limbs[0])
        case 2: UInt64(limbs[1]) << 32 | UInt64(limbs[0])
        default: nil
        }
    }

    /// The decimal digits, without zeros at the start; `0` for zero.
    var decimalDigits: String {
        if let word { return String(word) }
        var groups: [String] = []
        var rest = self
        while !rest.isZero {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: UInt32(Self.billion))
            let digits = String(remainder)
            groups.append(quotient.isZero ? digits : String(repeating: "0", count: 9 - digits.utf8.count) + digits)
            rest = quotient
        }
        return groups.reversed().joined()
    }

    /// 10 to the power of `exponent`, which is not negative.
    static func powerOfTen(_ exponent: Int) -> WholeNumber {
        exponent < smallPowersOfTen.count ? smallPowersOfTen[exponent] : WholeNumber(10).power(exponent)
    }

    private static let smallPowersOfTen = (0...40).map { WholeNumber(10).power($0) }
}

extension WholeNumber: Comparable {
    static func < (left: WholeNumber, right: WholeNumber) -> Bool {
        if left.limbs.count != right.limbs.count { return left.limbs.count < right.limbs.count }
        for index in left.limbs.indices.reversed() where left.limbs[index] != right.limbs[index] {
            return left.limbs[index] < right.limbs[index]
        }
        return false
    }
}

extension WholeNumber {
    static func + (left: WholeNumber, right: WholeNumber) -> WholeNumber {
        let count = max(left.limbs.count, right.limbs.count)
        var sum: [UInt32] = []
        sum.reserveCapacity(count + 1)
        var carry: UInt64 = 0
        for index in 0..<count {
            carry += UInt64(left.limb(index)) + UInt64(right.limb(index))
            sum.append(UInt32(truncatingIfNeeded: carry))
            carry >>= 32
        }
        sum.append(UInt32(truncatingIfNeeded: carry))
        return WholeNumber(limbs: sum)
    }

    /// The difference; `right` must not be the greater one.
    static func - (left: WholeNumber, right: WholeNumber) -> WholeNumber {
        var difference = left.limbs
        var borrow: Int64 = 0
        for index in difference.indices {
            borrow += Int64(difference[index]) - Int64(right.limb(index))
            difference[index] = UInt32(truncatingIfNeeded: borrow)
            borrow >>= 32
        }
        return WholeNumber(limbs: difference)
    }

    static func * (left: WholeNumber, right: WholeNumber) -> WholeNumber {
        if left.isZero || right.isZero { return .zero }
        if left.isOne { return right }
        if right.isOne { return left }
        var product = [UInt32](repeating: 0, count: left.limbs.count + right.limbs.count)
        for (index, factor) in left.limbs.enumerated() {
            var carry: UInt64 = 0
            for (offset, other) in right.limbs.enumerated() {
                carry += UInt64(factor) * UInt64(other) + UInt64(product[index + offset])
                product[index + offset] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            product[index + right.limbs.count] = UInt32(truncatingIfNeeded: carry)
        }
        return WholeNumber(limbs: product)
    }

    /// The number raised to a power that is not negative.
    func power(_ exponent: Int) -> WholeNumber {
        var result = WholeNumber.one
        var square = self
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result = result * square }
            rest >>= 1
            if rest > 0 { square = square * square }
        }
        return result
    }

    /// Quotient and remainder of a division by a small number, which must not be zero.
    func quotientAndRemainder(dividingBy divisor: UInt32) -> (quotient: WholeNumber, remainder: UInt32) {
        var quotient = limbs
        var rest: UInt64 = 0
        for index in quotient.indices.reversed() {
            rest = rest << 32 | UInt64(quotient[index])
            quotient[index] = UInt32(truncatingIfNeeded: rest / UInt64(divisor))
            rest %= UInt64(divisor)
        }
        return (WholeNumber(limbs: quotient), UInt32(truncatingIfNeeded: rest))
    }

    /// Quotient and remainder; the divisor must not be zero.
    func quotientAndRemainder(dividingBy divisor: WholeNumber) -> (quotient: WholeNumber, remainder: WholeNumber) {
        if self < divisor { return (.zero, self) }
        if divisor.limbs.count == 1, let small = divisor.limbs.first {
            let (quotient, remainder) = quotientAndRemainder(dividingBy: small)
            return (quotient, WholeNumber(UInt64(remainder)))
        }
        return longDivision(by: divisor)
    }

    /// The greatest number that divides both.
    static func greatestCommonDivisor(_ first: WholeNumber, _ second: WholeNumber) -> WholeNumber {
        var (greater, smaller) = (first, second)
        while !smaller.isZero {
            (greater, smaller) = (smaller, greater.quotientAndRemainder(dividingBy: smaller).remainder)
        }
        return greater
    }

    /// Divides by `divisor` as often as nothing is left over, and says how often that was. Zero stays as it is.
    mutating func removeFactors(_ divisor: UInt32) -> Int {
        var count = 0
        while !isZero {
            let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
            guard remainder == 0 else { break }
            self = quotient
            count += 1
        }
        return count
    }

    private func limb(_ index: Int) -> UInt32 { index < limbs.count ? limbs[index] : 0 }
}

extension WholeNumber {
    /// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D. The divisor has two limbs or more, and is not
    /// the greater one.
    private func longDivision(by divisor: WholeNumber) -> (quotient: WholeNumber, remainder: WholeNumber) {
        let shift = divisor.limbs.last?.leadingZeroBitCount ?? 0
        let v = divisor.shiftedLeft(by: shift, count: divisor.limbs.count)
        var u = shiftedLeft(by: shift, count: limbs.count + 1)
        let n = v.count
        var quotient = [UInt32](repeating: 0, count: u.count - n)
        for j in quotient.indices.reversed() {
            let top = UInt64(u[j + n]) << 32 | UInt64(u[j + n - 1])
            var estimate = top / UInt64(v[n - 1])
            var rest = top % UInt64(v[n - 1])
            while estimate >> 32 != 0 || estimate * UInt64(v[n - 2]) > (rest << 32 | UInt64(u[j + n - 2])) {
                estimate -= 1
                rest += UInt64(v[n - 1])
                if rest >> 32 != 0 { break }
            }
            if Self.subtract(v, times: estimate, from: &u, at: j) {
                estimate -= 1
                Self.add(v, to: &u, at: j)
            }
            quotient[j] = UInt32(truncatingIfNeeded: estimate)
        }
        var remainder = [UInt32](repeating: 0, count: n)
        for index in 0..<n {
            let high = UInt64(index + 1 < u.count ? u[index + 1] : 0) << 32
            remainder[index] = UInt32(truncatingIfNeeded: (high | UInt64(u[index])) >> UInt64(shift))
        }
        return (WholeNumber(limbs: quotient), WholeNumber(limbs: remainder))
    }

    /// The limbs of the number times 2 to the power of `bits`, 0 to 31, filled up with zeros.
    private func shiftedLeft(by bits: Int, count: Int) -> [UInt32] {
        var result = [UInt32](repeating: 0, count: count)
        var carry: UInt64 = 0
        for index in result.indices {
            carry |= UInt64(limb(index)) << UInt64(bits)
            result[index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        return result
    }

    /// Takes `v * factor` from the limbs of `u` that begin at `start`; true if that was too much.
    private static func subtract(_ v: [UInt32], times factor: UInt64, from u: inout [UInt32], at start: Int) -> Bool {
        var carry: UInt64 = 0
        var borrow: Int64 = 0
        for index in v.indices {
            carry += factor * UInt64(v[index])
            borrow += Int64(u[start + index]) - Int64(carry & 0xFFFF_FFFF)
            u[start + index] = UInt32(truncatingIfNeeded: borrow)
            carry >>= 32
            borrow >>= 32
        }
        borrow += Int64(u[start + v.count]) - Int64(carry)
        u[start + v.count] = UInt32(truncatingIfNeeded: borrow)
        return borrow < 0
    }

    private static func add(_ v: [UInt32], to u: inout [UInt32], at start: Int) {
        var carry: UInt64 = 0
        for index in v.indices {
            carry += UInt64(u[start + index]) + UInt64(v[index])
            u[start + index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        u[start + v.count] = u[start + v.count] &+ UInt32(truncatingIfNeeded: carry)
    }
}
