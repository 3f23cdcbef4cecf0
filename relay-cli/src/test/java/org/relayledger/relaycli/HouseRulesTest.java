package org.relayledger.relaycli;

import org.relayledger.testing.HouseRules;

final class HouseRulesTest extends HouseRules {}
