import FHIR
import FHIRPath
import Testing

/// What the specification says and shows, by its own examples and by more of the kind.
@Suite struct SpecificationTests {
    static let quantitiesCases: [(String, String)] = [
        ("1 'cm' = 10.0 'mm'", "true"),
        ("1 'cm' = 1 's'", "{}"),
        ("1 'cm' = 1 'm'", "false"),
        ("1000 'mg' = 1 'g'", "true"),
        ("5 'mg' > 3 'mg'", "true"),
        ("5 'mg' > 3 'cm'", "{}"),
        ("-5 'mg'", "-5 'mg'"),
        ("1 year = 12 months", "true"),
        ("6 months > 1 year", "false"),
        ("1 year = 365 days", "true"),
        ("1 month = 30 days", "true"),
        ("1 year = 12 'mo'", "{}"),
        ("1 year = 1 'a'", "{}"),
        ("1 year ~ 1 'a'", "true"),
        ("1 year ~ 11 months", "true"),
        ("1 year.toQuantity('a') = 1 'a'", "true"),
        ("7 days = 1 'wk'", "true"),
        ("1 week = 7 'd'", "true"),
        ("1 hour = 3600 's'", "true"),
        ("52 'cm'.toQuantity('m')", "0.52 'm'"),
        ("45.toQuantity('m')", "45 'm'"),
        ("24 'm'.toQuantity('kg')", "{}"),
        ("1 'a'.toQuantity('d')", "365.25 'd'"),
        ("7 days.toQuantity('wk')", "1 'wk'"),
        ("182.5 days.toQuantity('a')", "0.5 'a'"),
        ("2.1 'cm' ~ 21 'mm'", "true"),
        ("21 'mm' ~ 2 'cm'", "true"),
        ("4 'g' ~ 4040 'mg'", "true"),
        ("4 'g' ~ 5000 'mg'", "false"),
        ("12 'cm' * 3 'cm'", "36 'cm2'"),
        ("3 'cm' * 12 'cm2'", "36 'cm3'"),
        ("10 'm/s' * 10 's'", "100 'm'"),
        ("3 * 2 'cm'", "6 'cm'"),
        ("12 'cm2' / 3 'cm'", "4 'cm'"),
        ("120 'm' / 60 's'", "2 'm/s'"),
        ("60 / 1 's'", "60 '/s'"),
        ("12 days * 45 'm'", "{}"),
        ("2 minutes + 60 seconds", "3 minutes"),
        ("1 year + 12 months", "{}"),
        ("1 week + 14 days", "3 weeks"),
        ("3 'd' + 1 'wk'", "10 'd'"),
        ("3 'm' - 3 'cm'", "2.97 'm'"),
        ("1.comparable(2)", "true"),
        ("1 year.comparable(1 'a')", "false"),
        ("1 'm'.comparable(20 'cm')", "true"),
        ("(1 'm' | 100 'cm').count()", "1"),
        ("(1.0 'mg' | 2.0 'mg').sum()", "3.0 'mg'"),
        ("23 = 23 '1'", "true"),
        ("Patient.extension('urn:size').value > 150 'cm'", "true"),
        ("Patient.extension('urn:size').value.code", "m"), ("Patient.extension('urn:age').value > 30 months", "true"),
        ("Patient.extension('urn:age').value = 3 'a'", "true"),
        ("Patient.extension('urn:age').value = 3 years", "true"),
        ("Patient.birthDate + Patient.extension('urn:age').value", "1977-12-25"),
    ]

    static let datesCases: [(String, String)] = [
        ("@2012 = @2012-01", "{}"),
        ("@2018-03 > @2017-03-01", "true"),
        ("@2018-03 > @2018-03-01", "{}"),
        ("@2012-01 ~ @2012", "false"),
        ("@2012-01-01T10:30:31.0 = @2012-01-01T10:30:31", "true"),
        ("@T10 > @T10:30", "{}"),
        ("@2017-11-05T01:30:00.0-04:00 = @2017-11-05T00:30:00.0-05:00", "true"),
        ("@2018-01-01T16:00:00+12:00 < @2018-01-01T15:00:00.0+10:00", "true"),
        ("@1973-12-25 + 7.9 days", "1974-01-01"),
        ("@2012-01-31 + 1 month", "2012-02-29"),
        ("@2012-02-29 + 1 year", "2013-02-28"),
        ("@2014 + 23 months", "2015"),
        ("@2016 + 365 days", "2017"),
        ("@2026-02 + 5 weeks", "2026-03"),
        ("@2026-02 + 4 weeks", "2026-02"),
        ("@2014 - 1 month", "2014"),
        ("@T23:30:00 + 1 hour", "00:30:00"),
        ("@T01:00:00 - 2 hours", "23:00:00"),
        ("@1973-12-25T00:00:00.000+10:00 + 42.53 seconds", "1973-12-25T00:00:42.530+10:00"),
        ("@9999-12-31 + 1 year", "!execution date-out-of-range"),
        ("@0001-01-01 - 1 day", "!execution date-out-of-range"),
        ("@2012-01-01 + 1 'a'", "!execution no-calendar-duration"),
        ("@2012-01-01 + 1", "!semantic duration-expected"),
        ("Patient.birthDate + 1 year", "1975-12-25"),
        ("Patient.birthDate > @1970-01-01", "true"),
        ("@2014.lowBoundary(6)", "2014-01"),
        ("@2014-01-01T08.highBoundary(17)", "2014-01-01T08:59:59.999-12:00"),
        ("@T10:30.precision()", "4"),
        ("@2014-01-05T10:30:00.000.precision()", "17"),
        ("@2012-01-01T12:30:00.000+08:45.timezoneOffsetOf()", "8.75"),
        ("@2012-01-01T12:30:00.000-07:00.timeOf()", "12:30:00.000"),
        ("@2012.monthOf()", "{}"),
        ("@2025-01-02.duration(@2025-01-07, 'week')", "0"),
        ("@2025-01-02.difference(@2025-01-07, 'week')", "1"),
        ("@2024-12-01.duration(@2025-09-01, 'year')", "0"),
        ("@2024-12-01.difference(@2025-09-01, 'year')", "1"),
        ("@2020-02-29.duration(@2021-02-28, 'month')", "11"),
        ("@2021-03-01.duration(@2020-03-01, 'day')", "-365"),
        ("@T10:30.difference(@T11:00, 'hour')", "1"),
        ("@2020.duration(@2021, 'month')", "{}"),
        ("@2020-01-01.duration(@2021-01-01, 'hour')", "!execution unit-expected"),
        ("now()", "2020-01-01T00:00:00.000Z"),
        ("today()", "2020-01-01"),
        ("timeOfDay()", "00:00:00.000"),
    ]

    static let textsCases: [(String, String)] = [
        ("'a\\uD83D\\uDD25b'.indexOf('b')", "2"),
        ("'\\uD83D\\uDD25'.length()", "1"),
        ("'\\u0065\\u0301'.length()", "2"),
        ("'abcdefg'.substring(3, -1)", ""),
        ("'abcdefg'.substring(7, 1)", "{}"),
        ("'abcdefg'.substring(-1, 1)", "{}"),
        ("'0123'.lastIndexOf('')", "4"),
        ("'abc'.replace('', 'x')", "xaxbxcx"),
        ("'a\\nb'.matches('a.b')", "true"),
        ("'first line\\nsecond line'.matches('^SECOND', 'im')", "true"),
        ("'a'.matches('a', 'q')", "!execution invalid-flags"),
        ("'N8000123123'.matchesFull('N[0-9]{8}')", "false"),
        ("'ab'.matchesFull('a|ab')", "true"),
        ("'abc'.matches('')", "true"),
        (
            "'11/30/1972'.replaceMatches('(?<month>\\\\d+)/(?<day>\\\\d+)/(?<year>\\\\d+)', '${day}-${month}-${year}')",
            "30-11-1972"
        ),
        ("'abc'.replaceMatches('(b)', '[$1$2]')", "a[b$2]c"),
        ("'abc'.replaceMatches('b', '$0$0')", "abbc"),
        ("'A&B'.escape('html')", "A&amp;B"),
        ("'&quot;1&lt;2&quot;'.unescape('html')", "\"1<2\""),
        ("'test'.encode('hex')", "74657374"),
        ("'zz'.decode('hex')", "{}"),
        ("'\\u00e9x'.encode('ascii')", "?x"),
        ("'A,,C'.split(',').count()", "3"),
        ("('A' | 'B').join('-')", "A-B"),
        ("{}.join(',')", "{}"),
        ("'ABC' & {} & 'D'", "ABCD"),
        ("'ABC' + {} + 'D'", "{}"),
        ("'a  b' ~ 'A B'", "true"),
        ("'a' & 1", "!execution text-expected"),
        ("Patient.gender.length()", "6"),
        ("Patient.name.given.upper()", "!execution not-a-singleton"),
    ]

    static let numbersCases: [(String, String)] = [
        ("1 / 0", "{}"),
        ("5 mod 0", "{}"),
        ("(-7) mod 2", "-1"),
        ("(-7) div 2", "-3"),
        ("5.5 div 0.7", "7"),
        ("5.5 mod 0.7", "0.6"),
        ("2147483647 + 1", "{}"),
        ("0.1 + 0.2", "0.3"),
        ("1.10 = 1.1", "true"),
        ("1.10 ~ 1.1", "true"),
        ("1.2 / 1.8 ~ 0.67", "true"),
        ("12345678901234567890.5 + 1", "12345678901234567891.5"),
        ("-7.combine(3)", "!execution not-a-singleton"),
        ("2 - -1", "3"),
        ("3.14159.round(3)", "3.142"),
        ("(-1.5).round()", "-2"),
        ("81.sqrt()", "9"),
        ("(-1).sqrt()", "{}"),
        ("2.power(-1)", "0.5"),
        ("(-1).power(0.5)", "{}"),
        ("2.power(3)", "8"),
        ("16.log(2)", "4"),
        ("(-2.1).floor()", "-3"),
        ("(-1.1).ceiling()", "-1"),
        ("(-1.56).truncate()", "-1"),
        ("1.587.lowBoundary()", "1.58650000"),
        ("(-1.587).lowBoundary(0)", "-2"),
        ("1.58700.precision()", "5"),
        ("{}.sum()", "{}"),
        ("(1 | 2).avg()", "1.5"),
        ("('a' | 1).max()", "!execution not-comparable"),
        ("1 + 2 * 3", "7"),
        ("'a' + 1", "!execution operator-types"),
        ("1.00.toString()", "1.00"),
        ("-('-9223372036854775808'.toLong())", "{}"),
        ("1.0 - '-9223372036854775808'.toLong()", "9223372036854775809.0"),
        ("5L div 2", "2"),
    ]

    static let collectionsCases: [(String, String)] = [
        ("(3 | 1 | 2).sort()", "1, 2, 3"),
        ("(3 | 1 | 2).sort($this desc)", "3, 2, 1"),
        ("Patient.name.sort(family desc, given.first()).use", "maiden, official, usual"),
        ("Patient.name.sort(-family).use", "usual, maiden, official"),
        ("Patient.name.sort(family).use", "usual, official, maiden"),
        ("Patient.name.given.distinct().count()", "3"),
        ("(1 | 2).combine(2 | 3, true)", "1, 2, 2, 3"),
        ("(1 | 2).union(2 | 3)", "1, 2, 3"),
        ("Patient.name.use.intersect('usual' | 'x')", "usual"),
        ("Patient.name.skip(1).first().use", "usual"),
        ("Patient.name[1].use", "usual"),
        ("Patient.name[9]", "{}"),
        ("Patient.name.single()", "!execution not-a-singleton"),
        ("Patient.name.where(given contains 'Annie').use", "usual"),
        ("Patient.name.given.where($index = 1)", "Bea"),
        ("Patient.name.aggregate($total + 1, 0)", "3"),
        ("(1 | 2 | 3).aggregate($this + $total, 0)", "6"),
        ("Patient.name.given.aggregate(iif($total.empty(), $this, $total & ',' & $this))", "Ann,Bea,Annie,Ann,Bea"),
        ("Patient.name.defineVariable('n').first().select(%n.count())", "3"),
        ("defineVariable('a').defineVariable('a')", "!execution variable-defined"),
        ("defineVariable('a', 1).select(%a + 1)", "2"),
        ("(defineVariable('a', 1).select(%a)) | %a", "!semantic unknown-variable"),
        ("Patient.name.coalesce({}, 'a')", "a"),
        ("iif(true, 1, 1/0)", "1"),
        ("1.iif(true, $this, 2)", "1"),
        ("Patient.name.iif(true, 1, 2)", "!execution not-a-singleton"),
        ("{} in (1 | 5)", "{}"),
        ("(1 | 2) in (1 | 2)", "!execution not-a-singleton"),
        ("{} contains 1", "false"),
        ("(1 | 2) = (2 | 1)", "false"),
        ("(1 | 2) ~ (2 | 1)", "true"),
        ("Patient.repeat(children()).count() > 20", "true"),
        ("Patient.telecom.all(system.exists())", "true"),
        ("Patient.telecom.exists(value.empty())", "true"),
        ("Patient.birthDate.extension('urn:time').value", "1974-12-25T14:35:45-05:00"),
        ("Patient.managingOrganization.resolve().name", "One"),
        ("Patient.text.div.htmlChecks()", "true"),
        ("Patient.birthDate.children().count()", "1"),
        ("Patient.active.hasValue()", "true"),
        ("Patient.name.hasValue()", "false"),
    ]

    static let logicCases: [(String, String)] = [
        ("true or {}", "true"),
        ("{} or {}", "{}"),
        ("{} and false", "false"),
        ("true xor {}", "{}"),
        ("{} implies true", "true"),
        ("{} implies false", "{}"),
        ("false implies {}", "true"),
        ("Patient.active and Patient.gender", "true"),
        ("Patient.active and Patient.telecom", "!execution not-a-singleton"),
        ("1.not()", "false"),
        ("{}.not()", "{}"),
        ("(true | false).allTrue()", "false"),
        ("{}.allTrue()", "true"),
        ("{}.anyTrue()", "false"),
        ("1 > 2 or true and false", "false"),
        ("true > false", "!execution not-comparable"),
        ("'a' = 1", "false"),
        ("{} = {}", "{}"),
        ("{} ~ {}", "true"),
    ]

    static let typesCases: [(String, String)] = [
        ("1 is System.Integer", "true"),
        ("'1' is string", "false"),
        ("Patient.gender is string", "true"),
        ("Patient.gender.as(string)", "{}"),
        ("Patient.gender is System.String", "false"),
        ("Patient.gender.type().name", "code"),
        ("1.type().namespace", "System"),
        ("Patient.name.is(HumanName)", "!execution not-a-singleton"),
        ("Patient.name.ofType(HumanName).count()", "3"),
        ("Patient is DomainResource", "true"),
        ("Patient is Foo", "!execution unknown-type"),
        ("Patient.birthDate is date", "true"),
        ("Patient.conformsTo('http://hl7.org/fhir/StructureDefinition/Patient')", "true"),
        ("Patient.conformsTo('http://trash')", "!execution unknown-profile"),
        ("'4days'.toQuantity()", "4 days"),
        ("true.toQuantity()", "1.0 '1'"),
        ("1.5.toInteger()", "{}"),
        ("'-5'.toInteger()", "-5"),
        ("'2147483648'.toInteger()", "{}"),
        ("2.toBoolean()", "{}"),
        ("'Y'.toBoolean()", "true"),
        ("'2015-02-04T14:34:28Z'.toDate()", "{}"),
        ("@2024-01-15T23:30:00-05:00.toDate()", "2024-01-15"),
        ("@2012.toDateTime()", "2012"),
        ("'14:34:28'.toTime()", "14:34:28"),
        ("Patient.name.first().convertsToString()", "false"),
        ("(1 | 2).toString()", "!execution not-a-singleton"),
        ("(5 'mg').toString()", "5 'mg'"),
        ("1 year.toString()", "1 year"),
    ]

    @Test("Quantities and calendar durations", arguments: quantitiesCases)
    func quantities(_ expression: String, _ expected: String) {
        #expect(Evaluation.text(of: expression) == expected)
    }

    @Test("Dates and times", arguments: datesCases)
    func dates(_ expression: String, _ expected: String) {
        #expect(Evaluation.text(of: expression) == expected)
    }

    @Test("Texts", arguments: textsCases)
    func texts(_ expression: String, _ expected: String) {
        #expect(Evaluation.text(of: expression) == expected)
    }

    @Test("Numbers", arguments: numbersCases)
    func numbers(_ expression: String, _ expected: String) {
        #expect(Evaluation.text(of: expression) == expected)
    }

    @Test("Collections", arguments: collectionsCases)
    func collections(_ expression: String, _ expected: String) {
        #expect(Evaluation.text(of: expression) == expected)
    }

    @Test("Logic", arguments: logicCases)
    func logic(_ expression: String, _ expected: String) {
        #expect(Evaluation.text(of: expression) == expected)
    }

    @Test("Types and conversions", arguments: typesCases)
    func types(_ expression: String, _ expected: String) {
        #expect(Evaluation.text(of: expression) == expected)
    }
}
