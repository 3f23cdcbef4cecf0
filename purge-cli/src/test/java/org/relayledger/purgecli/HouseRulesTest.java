package org.relayledger.purgecli;

import org.relayledger.testing.HouseRules;

final class HouseRulesTest extends HouseRules {}
