/// Functions of FHIRPath and of FHIR (<https://hl7.org/fhirpath/N1/#functions>,
/// <https://hl7.org/fhir/R4/fhirpath.html#functions>).
enum FHIRPathFunction: String, Sendable, CaseIterable {
    // Existence
    case empty, exists, all, allTrue, anyTrue, allFalse, anyFalse, subsetOf, supersetOf, count,
        distinct, isDistinct
    // Filtering and projection
    case `where`, select, `repeat`, repeatAll, ofType, coalesce
    // Subsetting
    case single, first, last, tail, skip, take, intersect, exclude
    // Combining
    case union, combine
    // Conversion
    case iif, toBoolean, convertsToBoolean, toInteger, convertsToInteger, toLong, convertsToLong,
        toDate
    case convertsToDate, toDateTime, convertsToDateTime, toDecimal, convertsToDecimal, toQuantity
    case convertsToQuantity, toString, convertsToString, toTime, convertsToTime
    // Text
    case indexOf, lastIndexOf, substring, startsWith, endsWith, contains, upper, lower, replace,
        matches, matchesFull
    case replaceMatches, length, toChars, encode, decode, escape, unescape, trim, split, join
    // Numbers
    case abs, ceiling, exp, floor, ln, log, power, round, sqrt, truncate
    // The tree
    case children, descendants
    // Utility
    case trace, now, timeOfDay, today, defineVariable, not, sort, aggregate, sum, min, max, avg
    case lowBoundary, highBoundary, precision, comparable
    case duration, difference
    case yearOf, monthOf, dayOf, hourOf, minuteOf, secondOf, millisecondOf, timezoneOffsetOf, dateOf,
        timeOf
    // Types
    case `is`, `as`, type
    // FHIR
    case `extension`, hasValue, getValue, resolve, conformsTo, memberOf, subsumes, subsumedBy,
        htmlChecks
    case checkModifiers, elementDefinition, slice, weight, ordinal

    /// Allowed number of arguments.
    var arguments: ClosedRange<Int> {
        switch self {
        case .exists, .round, .join: 0...1
        case .all, .where, .select, .repeat, .repeatAll, .ofType, .subsetOf, .supersetOf, .skip, .take,
            .intersect,
            .exclude, .union, .indexOf, .lastIndexOf, .startsWith, .endsWith, .contains, .encode, .decode,
            .escape, .unescape, .split, .log, .power, .comparable, .is, .as, .extension, .conformsTo,
            .memberOf, .subsumes, .subsumedBy:
            1...1
        case .combine, .matches, .matchesFull: 1...2
        case .duration, .difference: 2...2
        case .toQuantity, .convertsToQuantity, .lowBoundary, .highBoundary: 0...1
        case .substring: 1...2
        case .replace: 2...2
        case .replaceMatches: 2...3
        case .iif: 2...3
        case .trace: 1...2
        case .aggregate: 1...2
        case .defineVariable: 1...2
        case .slice: 2...2
        case .sort, .coalesce, .checkModifiers: 0...32
        default: 0...0
        }
    }

    /// The part of the evaluator that evaluates the function.
    enum Group { case collection, conversion, text, math, fhir }

    var group: Group {
        switch self {
        case .toBoolean, .convertsToBoolean, .toInteger, .convertsToInteger, .toLong, .convertsToLong,
            .toDate,
            .convertsToDate, .toDateTime, .convertsToDateTime, .toDecimal, .convertsToDecimal,
            .toQuantity,
            .convertsToQuantity, .toString, .convertsToString, .toTime, .convertsToTime:
            .conversion
        case .indexOf, .lastIndexOf, .substring, .startsWith, .endsWith, .contains, .upper, .lower,
            .replace, .matches,
            .matchesFull, .replaceMatches, .length, .toChars, .encode, .decode, .escape, .unescape, .trim,
            .split, .join:
            .text
        case .abs, .ceiling, .exp, .floor, .ln, .log, .power, .round, .sqrt, .truncate, .sum, .min,
            .max, .avg,
            .lowBoundary, .highBoundary, .precision, .comparable, .duration, .difference, .yearOf,
            .monthOf, .dayOf,
            .hourOf, .minuteOf, .secondOf, .millisecondOf, .timezoneOffsetOf, .dateOf, .timeOf:
            .math
        case .extension, .hasValue, .getValue, .resolve, .conformsTo, .memberOf, .subsumes, .subsumedBy,
            .htmlChecks,
            .checkModifiers, .elementDefinition, .slice, .weight, .ordinal:
            .fhir
        default: .collection
        }
    }

    /// Whether the function tests a conversion instead of performing it.
    var isTest: Bool {
        switch self {
        case .convertsToBoolean, .convertsToInteger, .convertsToLong, .convertsToDate,
            .convertsToDateTime,
            .convertsToDecimal, .convertsToQuantity, .convertsToString, .convertsToTime:
            true
        default: false
        }
    }
}
