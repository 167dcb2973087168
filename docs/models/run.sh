#!/usr/bin/env bash
# Verifies the models, one at a time: run.sh [NAME-PART]. Needs spin and a C compiler. Exit code 1 if a result is not
# the expected one. A variant that must fail has the rule left out that the model is about.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")"

# model | flags | expected: holds, or the way in which it fails
variants='
arm      | TSO                        | holds
arm      | TSO NODISARM               | holds
arm      | TSO NOFENCE_W              | hangs
arm      | TSO NOFENCE_R              | hangs
arm      | TSO NEWNUMBER              | breaks
arm      | TSO NOHEAR                 | hangs
arm      | TSO FULL                   | hangs
arm      | TSO FULL DEBT              | holds
arm      | NTB                        | hangs
arm      | NTB READBACK               | holds
arm      | RDMA                       | hangs
arm      | RDMA ACKARM                | hangs
arm      | RDMA RELOOK                | hangs
arm      | RDMA ACKARM RELOOK         | hangs
arm      | RDMA ACKARM RELOOK NODISARM | holds
arm      | RDMA ALLIMM                | holds
arm      | RDMA SOURCE                | holds
arm      | RDMA SOURCE NODISARM       | holds
arm      | RDMA SOURCE NOWAIT         | hangs
arm      | RDMA SOURCE LATE           | hangs
arm      | RDMA SOURCE TEAR           | holds
arm      | RDMA SOURCE TEAR NODISARM  | holds
arm      | RDMA SOURCE TEAR SLEEPHALF | hangs
upgrade  |                            | holds
upgrade  | TWOWAY EPOCHS=1 M=3         | holds
upgrade  | DIE                        | holds
upgrade  | ZEROED                     | breaks
upgrade  | NOEPOCH                     | breaks
upgrade  | NOBACK                     | breaks
upgrade  | DROPPED                    | hangs
upgrade  | DROPPED DEBT               | holds
upgrade  | OVERTAKE                   | breaks
upgrade  | OVERTAKE PLACED            | holds
upgrade  | LIAR                       | holds
upgrade  | LIAR TRUST                 | breaks
upgrade  | LIAR PAST                  | breaks
credit   |                            | holds
credit   | NOFENCE_W                  | hangs
credit   | NOFENCE_R                  | hangs
credit   | ONEWORD                    | hangs
close    |                            | holds
close    | NOLOOP                     | holds
close    | NORETRY NOLOOP             | breaks
close    | NORETRY                    | breaks
close    | LOOKER                     | breaks
close    | UNLOCKED                   | breaks
close    | REUSE                      | holds
close    | REUSE EARLY                | breaks
close    | REUSE HASTY                | breaks
doorbell |                            | holds
doorbell | CAP=1                      | holds
doorbell | CAP=1 MOVES=2              | holds
doorbell | ANYNUMBER                  | holds
doorbell | DIE CAP=1                  | holds
doorbell | DIE CAP=1 BLOCK            | hangs
doorbell | SAMENUMBER                 | hangs
doorbell | DROP CAP=1                 | hangs
doorbell | UNHEARD                    | hangs
futex    |                            | holds
futex    | END MOVES=3                | holds
futex    | CLOSE                      | holds
futex    | END CLOSE MOVES=1          | holds
futex    | OLD END                    | holds
futex    | LATEWORD                   | hangs
futex    | SAMENUMBER                 | hangs
futex    | NOWATCHER OLD              | hangs
futex    | WORDFIRST END              | hangs
futex    | EVENTSFIRST END            | hangs
futex    | HASTY END OLD              | hangs
futex    | NOBUMP                     | hangs
futex    | CLOSE CLOSEAFTER           | hangs
path     |                            | holds
path     | TUPLE                      | breaks
path     | ANYSOURCE                  | breaks
path     | PORTS                      | holds
path     | PORTS BOTH                 | breaks
translate |                           | holds
translate | SOURCE                    | breaks
translate | TRUST                     | breaks
translate | NOCOMPARE                 | breaks
translate | GUESS                     | breaks
park     |                            | holds
park     | END MOVES=3                | holds
park     | CLOSE                      | holds
park     | END CLOSE MOVES=1          | holds
park     | FAIL                       | holds
park     | FAIL END MOVES=1           | holds
park     | UNHEARD                    | hangs
park     | LATENAME                   | hangs
park     | UNPARKFIRST                | hangs
park     | FAIL NOFAILLOOK            | hangs
park     | SAMENUMBER                 | hangs
failover |                            | holds
failover | NOFENCE                    | breaks
failover | CONSUMED                   | breaks
failover | HOLE                       | breaks
failover | HOLE VERIFIED              | holds
failover | HALFCLOSE                  | breaks
'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

# check MODEL FLAGS: prints "outcome|states|first complaint"
check() {
  local model=$1 defines=() flag errors states why
  for flag in $2; do defines+=("-D$flag"); done
  cp "$model.pml" "$work/m.pml"
  (
    cd "$work" || exit 1
    rm -f pan* ./*.trail
    spin -a "${defines[@]}" m.pml >spin.out 2>&1 || { echo "broken|-|$(head -1 spin.out)"; exit; }
    cc -O1 -DSAFETY -DCOLLAPSE -o pan pan.c 2>cc.out || { echo "broken|-|$(head -1 cc.out)"; exit; }
    timeout 100 ./pan -m400000 -w22 >pan.out 2>&1
    errors=$(grep -o 'errors: [0-9]*' pan.out | grep -o '[0-9]*$')
    states=$(grep -o '[0-9.e+]* states, stored' pan.out | head -1 | cut -d' ' -f1)
    why=$(grep -m1 -E '^pan:[0-9]*: ' pan.out | sed 's/^pan:[0-9]*: //; s/ (at depth.*//')
    if [[ -z $errors ]] || grep -q 'max search depth too small' pan.out; then
      echo "unfinished|$states|"
    elif [[ $errors == 0 ]]; then
      echo "holds|$states|"
    elif [[ $why == invalid\ end\ state* ]]; then
      echo "hangs|$states|$why"
    else
      echo "breaks|$states|$why"
    fi
  )
}

printf '%-9s %-27s %-7s %-7s %10s  %s\n' model flags expect result states complaint
while IFS='|' read -r model flags expected; do
  model=${model// /} expected=${expected// /}
  flags=$(echo $flags)
  [[ -n $model ]] || continue
  [[ -z ${1-} || "$model $flags" == *"$1"* ]] || continue
  IFS='|' read -r result states why < <(check "$model" "$flags")
  mark=
  [[ $result == "$expected" ]] || { mark='  <-- unexpected'; wrong=1; }
  printf '%-9s %-27s %-7s %-7s %10s  %s%s\n' "$model" "${flags:--}" "$expected" "$result" "$states" "$why" "$mark"
done <<<"$variants"
exit $wrong
