/// A natural number of any size, with the operations that exact unit factors need. ``ExactNumber``'s limits keep it
/// small.
///
/// A number of one word, as nearly all are, allocates no memory.
package struct Natural: Sendable, Hashable {
    /// The lowest 64 bits.
    package private(set) var low: UInt64
    /// The words above, lowest first; the last one is never zero.
    package private(set) var high: [UInt64]

    package static let zero = Natural(0)
    package static let one = Natural(1)

    package init(_ word: UInt64) {
        low = word
        high = []
    }

    /// Creates a number from words, lowest first. Zeros at the end are dropped.
    package init(words: [UInt64]) {
        var words = words
        while let last = words.last, last == 0 { words.removeLast() }
        low = words.first ?? 0
        high = words.count > 1 ? Array(words[1...]) : []
    }

    package var isZero: Bool { high.isEmpty && low == 0 }
    package var isOne: Bool { high.isEmpty && low == 1 }

    /// The number as one word; nil if it needs more.
    package var word: UInt64? { high.isEmpty ? low : nil }

    package var words: [UInt64] { high.isEmpty ? [low] : [low] + high }

    /// Number of bits; 0 for zero.
    package var bitWidth: Int {
        guard let top = high.last else { return 64 - low.leadingZeroBitCount }
        return high.count * 64 + 64 - top.leadingZeroBitCount
    }
}

extension Natural: Comparable {
    package static func < (left: Natural, right: Natural) -> Bool {
        if left.high.count != right.high.count { return left.high.count < right.high.count }
        for index in left.high.indices.reversed() where left.high[index] != right.high[index] {
            return left.high[index] < right.high[index]
        }
        return left.low < right.low
    }
}

extension Natural {
    package static func + (left: Natural, right: Natural) -> Natural {
        if left.high.isEmpty, right.high.isEmpty {
            let (sum, overflow) = left.low.addingReportingOverflow(right.low)
            return overflow ? Natural(words: [sum, 1]) : Natural(sum)
        }
        let (longer, shorter) =
            left.high.count >= right.high.count ? (left.words, right.words) : (right.words, left.words)
        var sum = longer
        var carry = false
        for index in longer.indices {
            let addend = index < shorter.count ? shorter[index] : 0
            let (first, overflow) = longer[index].addingReportingOverflow(addend)
            let (second, overflowAgain) = first.addingReportingOverflow(carry ? 1 : 0)
            sum[index] = second
            carry = overflow || overflowAgain
        }
        if carry { sum.append(1) }
        return Natural(words: sum)
    }

    /// The difference. `right` must not be greater than `left`.
    package static func - (left: Natural, right: Natural) -> Natural {
        if left.high.isEmpty { return Natural(left.low &- right.low) }
        var difference = left.words
        let subtrahend = right.words
        var borrow = false
        for index in difference.indices {
            let part = index < subtrahend.count ? subtrahend[index] : 0
            let (first, overflow) = difference[index].subtractingReportingOverflow(part)
            let (second, overflowAgain) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            difference[index] = second
            borrow = overflow || overflowAgain
        }
        return Natural(words: difference)
    }

    package static func * (left: Natural, right: Natural) -> Natural {
        if left.high.isEmpty, right.high.isEmpty {
            let (top, bottom) = left.low.multipliedFullWidth(by: right.low)
            return top == 0 ? Natural(bottom) : Natural(words: [bottom, top])
        }
        if left.isOne { return right }
        if right.isOne { return left }
        let first = left.words
        let second = right.words
        var product = [UInt64](repeating: 0, count: first.count + second.count)
        for (index, factor) in first.enumerated() {
            var carry: UInt64 = 0
            for (offset, other) in second.enumerated() {
                let (top, bottom) = factor.multipliedFullWidth(by: other)
                let (sum, overflow) = product[index + offset].addingReportingOverflow(bottom)
                let (total, overflowAgain) = sum.addingReportingOverflow(carry)
                product[index + offset] = total
                carry = top &+ (overflow ? 1 : 0) &+ (overflowAgain ? 1 : 0)
            }
            product[index + second.count] = carry
        }
        return Natural(words: product)
    }

    /// The number raised to a power, by repeated squaring.
    package func power(_ exponent: Int) -> Natural {
        var result = Natural.one
        var square = self
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result = result * square }
            rest >>= 1
            if rest > 0 { square = square * square }
        }
        return result
    }

    /// 10 to the power of `exponent`.
    package static func powerOfTen(_ exponent: Int) -> Natural {
        exponent < smallPowersOfTen.count ? Natural(smallPowersOfTen[exponent]) : Natural(10).power(exponent)
    }

    /// The powers of ten that fit in a word.
    package static let smallPowersOfTen: [UInt64] = (0...19).map { exponent in
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
